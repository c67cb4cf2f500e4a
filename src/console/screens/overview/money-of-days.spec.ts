import { describe, expect, it } from '@jest/globals';
import { firstDayOf, moneyOfDays } from './money-of-days.js';

const group = (day: string, gross: number, refunds = 0) => ({ day, lookups: 1, net: gross, vat: 0, gross, refunds });

describe('the money of the last days', () => {
  it('is that of thirty whole days, of today, and of this month', () => {
    const groups = [group('2026-01-29', 1_000), group('2026-01-30', 0.1), group('2026-02-28', 0.2, 5), group('2026-03-01', 7)];
    const { days, gross, refunds, today, month } = moneyOfDays('2026-03-01', groups);
    expect([days.length, days[0], days.at(-1)?.day]).toStrictEqual([30, { day: '2026-01-30', gross: 0.1, refunds: 0 }, '2026-02-28']);
    expect([gross, refunds, today, month]).toStrictEqual([0.3, 5, 7, 7]);
  });

  it('is 0 on a day without revenue', () => {
    const { days, gross, month } = moneyOfDays('2026-03-31', [group('2026-03-01', 5), group('2026-03-30', -2)]);
    expect([days.filter((each) => each.gross === 0).length, gross, month]).toStrictEqual([28, 3, 3]);
  });

  it('needs the days from the first of the month, or from thirty days before', () => {
    expect([firstDayOf('2026-03-01'), firstDayOf('2026-03-31'), firstDayOf('2026-05-31')]).toStrictEqual([
      '2026-01-30',
      '2026-03-01',
      '2026-05-01',
    ]);
  });
});
