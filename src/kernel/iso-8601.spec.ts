import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalDate, DATE_8601_PATTERN, dateProblem, DAY_PATTERN, dayProblem, isDate8601 } from './iso-8601.js';

const FORM = 'must be an ISO 8601 date or timestamp';
const OFFSET = 'must have an offset after its time, such as Z or +01:00';

/** Generates every existing day of the years 0 to 9999. */
const day = fc
  .date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const time = fc
  .tuple(fc.nat(23), fc.nat(59), fc.option(fc.nat(59), { nil: undefined }), fc.boolean())
  .map(([hour, minute, second, fraction]) => {
    const parts = [hour, minute, ...(second === undefined ? [] : [second])].map((part) => String(part).padStart(2, '0'));
    return `T${parts.join(':')}${fraction && second !== undefined ? '.123456789' : ''}`;
  });
const offset = fc.constantFrom('Z', 'z', '+01:00', '-14:59', '+0530', '+01', '-03');

function yearProblem(date: string): string | undefined {
  const year = Number(date.slice(0, 4));
  if (year < 1900) return 'must not be before 1900';
  return year > 2199 ? 'must not be after 2199' : undefined;
}

describe('a date or timestamp', () => {
  it('is accepted or refused by its year alone, if the day exists and a time has an offset', () => {
    fc.assert(
      fc.property(day, time, offset, (date, clock, zone) => {
        expect(dateProblem(date)).toBe(yearProblem(date));
        expect(dateProblem(date + clock + zone)).toBe(yearProblem(date));
        expect(isDate8601(date)).toBe(yearProblem(date) === undefined);
      }),
    );
  });

  it('is what the documented pattern matches, if the day exists in a year that is accepted', () => {
    const pattern = new RegExp(DATE_8601_PATTERN);
    fc.assert(
      fc.property(day, fc.option(time, { nil: '' }), fc.option(offset, { nil: '' }), (date, clock, zone) => {
        const text = date + clock + zone;
        expect(isDate8601(text)).toBe(pattern.test(text) && yearProblem(date) === undefined);
      }),
    );
  });

  it('may have t and z in lower case and an offset of hours, and becomes a text that JavaScript reads as the same moment', () => {
    fc.assert(
      fc.property(day, time, offset, fc.boolean(), (date, clock, zone, isLower) => {
        const text = date + (isLower ? clock.toLowerCase() : clock) + zone;
        const canonical = canonicalDate(text);
        expect(dateProblem(text)).toBe(yearProblem(date));
        expect(canonical).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/);
        const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
        const aheadMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
        expect(Date.parse(canonical)).toBe(Date.parse(`${date}${clock}Z`) - aheadMs);
        expect(canonicalDate(canonical)).toBe(canonical);
      }),
    );
  });

  it('is left as it is without a time, and so is any other text', () => {
    for (const text of ['2026-03-01', '2026-03-01t10:00', 'yesterday', 't', '', '2026-03-01T10:00:00.5+01:00'])
      expect(canonicalDate(text)).toBe(text);
  });

  it('without an offset after its time is refused for that reason', () => {
    fc.assert(
      fc.property(day, time, (date, clock) => {
        expect(dateProblem(date + clock)).toBe(OFFSET);
      }),
    );
  });

  it('with a space for the + of its offset, as in a query that is not percent-encoded, is refused for that reason', () => {
    const east = fc.constantFrom('+01:00', '+14:00', '+0530', '+01');
    fc.assert(
      fc.property(day, time, east, (date, clock, zone) => {
        const read = new URLSearchParams(`from=${date}${clock}${zone}`).get('from') ?? '';
        expect(dateProblem(read)).toBe('must have + or - before its offset; in a URL, + is written %2B');
      }),
    );
  });

  it('may lie after 2199 if the caller says so', () => {
    expect([dateProblem('2999-01-01', 9999), dateProblem('1899-12-31', 9999)]).toStrictEqual([undefined, 'must not be before 1900']);
  });

  it.each([
    ['2024-02-29T10:00:00', OFFSET],
    ['2999-01-01', 'must not be after 2199'],
    ['1776-07-04', 'must not be before 1900'],
    ['0000-02-29', 'must not be before 1900'],
    ['1900-02-29', FORM],
    ['2023-02-29', FORM],
    ['2026-13-01', FORM],
    ['2026-04-31', FORM],
    ['2026-00-10', FORM],
    ['2026-01-01Z', FORM],
    ['2026-01-01T24:00Z', FORM],
    ['2026-01-01 10:00Z', FORM],
    ['+012026-01-01', FORM],
    ['20260101', FORM],
    ['', FORM],
    ['yesterday', FORM],
  ])('%j %s', (text, problem) => {
    expect(dateProblem(text)).toBe(problem);
  });
});

describe('a day', () => {
  const NO_DAY = 'must be a day such as 2026-03-31';

  it('is accepted or refused by its year alone, and has no time', () => {
    fc.assert(
      fc.property(day, time, offset, (date, clock, zone) => {
        expect([dayProblem(date), dayProblem(date + clock + zone)]).toStrictEqual([yearProblem(date), NO_DAY]);
        expect(new RegExp(DAY_PATTERN).test(date)).toBe(true);
      }),
    );
  });

  it.each(['', 'foo', '2026-02-30', '2026-13-01', '30/11/2026', '2026-3-1', '2026-03-01T10:00'])('is not %p', (text) => {
    expect(dayProblem(text)).toBe(NO_DAY);
  });
});
