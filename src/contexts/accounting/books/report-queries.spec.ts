import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validateBody } from '../../../http/validating/validation.js';
import { type FieldErrors, ValidationFailed } from '../../../kernel/validation-failed.js';
import { REVENUE_GROUPS } from '../domain/revenue.js';
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

  it('take nothing but groups, each once, whatever is sent, because their names become a part of a statement', () => {
    const sent = fc.oneof(
      fc.anything(),
      fc.array(fc.oneof(fc.constantFrom(...REVENUE_GROUPS, 'section,month', 'section as x', '1'), fc.string()), { maxLength: 5 }),
    );
    fc.assert(
      fc.property(sent, (by) => {
        const query = { by };
        if (by == null || Object.keys(problemsOf(query)).length > 0) return;
        const taken = validateBody(RevenueQueryDto, query).by ?? [];
        expect(taken.filter((group, index) => !REVENUE_GROUPS.includes(group) || taken.indexOf(group) !== index)).toStrictEqual([]);
        expect(taken.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['2026-02-30', '2026-03-01T00:00:00Z', 'today'])('say what a day is instead of %s', (text) => {
    expect(problemsOf({ from: text, to: text })).toStrictEqual({
      from: ['The from field must be a day such as 2026-03-31.'],
      to: ['The to field must be a day such as 2026-03-31.'],
    });
  });
});
