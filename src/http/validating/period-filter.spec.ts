import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { PageQueryDto } from './paging.js';
import { OfFarmer, PeriodFrom, PeriodTo } from './period-filter.js';
import { validateBody } from './validation.js';

class QueryDto extends PageQueryDto {
  @PeriodFrom('recorded_at') from?: string;
  @PeriodTo('recorded_at') to?: string;
  @OfFarmer('entries') rupa_id?: string;
}

describe('the filters of a list by time and farmer', () => {
  it('take a date for its midnight in UTC, and a timestamp as it is', () => {
    expect(validateBody(QueryDto, { from: '2026-03-01', to: '2026-03-02' })).toEqual({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
    });
    expect(validateBody(QueryDto, { from: '2026-03-01t10:00:00+01' })).toEqual({ from: '2026-03-01T10:00:00+01:00' });
  });

  it('take a farmer’s id in any case', () => {
    expect(validateBody(QueryDto, { rupa_id: 'RP-Spvyqbds', limit: '7' })).toEqual({ rupa_id: 'rp-spvyqbds', limit: 7 });
  });

  it('may all be missing', () => {
    expect(validateBody(QueryDto, {})).toEqual({});
  });

  it.each([
    ['a date that does not exist', { from: '2026-02-30' }, 'from'],
    ['a time without an offset', { to: '2026-03-01T10:00:00' }, 'to'],
    ['text that is no date', { from: 'yesterday' }, 'from'],
    ['an id with other characters', { rupa_id: 'rp_1' }, 'rupa_id'],
    ['several values', { from: ['2026-03-01', '2026-03-02'] }, 'from'],
  ])('refuse %s', (_name, query, field) => {
    const refused = (): unknown => validateBody(QueryDto, query);
    expect(refused).toThrow(ValidationFailed);
    expect(refused).toThrow(expect.objectContaining({ errors: { [field]: [expect.any(String)] } }));
  });
});
