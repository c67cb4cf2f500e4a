import { describe, expect, it } from '@jest/globals';
import { validateBody } from '../../../http/validating/validation.js';
import { type FieldErrors, ValidationFailed } from '../../../kernel/validation-failed.js';
import { RevenueQueryDto } from './revenue.dto.js';

function problemsOf(query: object): FieldErrors {
  try {
    validateBody(RevenueQueryDto, query);
    return {};
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors;
    throw error;
  }
}

describe('the parameters of a report', () => {
  it.each(['section', 'partner,month', 'day , section'])('take the groups %s', (by) => {
    expect(validateBody(RevenueQueryDto, { by }).by).toStrictEqual(by.split(',').map((each) => each.trim()));
  });

  it.each(['foo', 'section,section', 'section,', 'section;month'])('name the groups that there are instead of %s', (by) => {
    expect(problemsOf({ by })).toStrictEqual({
      by: ['The by field must name some of section, partner, month, day, with commas, each once.'],
    });
  });

  it.each(['2026-02-30', '2026-03-01T00:00:00Z', 'today'])('say what a day is instead of %s', (text) => {
    expect(problemsOf({ from: text, to: text })).toStrictEqual({
      from: ['The from field must be a day such as 2026-03-31.'],
      to: ['The to field must be a day such as 2026-03-31.'],
    });
  });
});
