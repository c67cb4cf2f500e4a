import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { paceAt, runsOutAt } from './running-out.js';

const NOON = '2026-03-10T12:00:00.000Z';

describe('the pace at which a wallet is spent', () => {
  it('counts the seven days before today, and today so far', () => {
    expect(paceAt(NOON)).toStrictEqual({ from: '2026-03-03', timesForWeek: 7 / 7.5 });
  });

  it('says when the balance is spent', () => {
    // 750 in seven days and a half are 100 a day.
    expect(runsOutAt(NOON, 250, 750)).toBe('2026-03-13T00:00:00.000Z');
  });

  it.each([0, -5])('has spent a balance of %d', (balance) => {
    expect(runsOutAt(NOON, balance, 750)).toBe(NOON);
  });

  it('ends within a week exactly where the balance is below the charges of a week', () => {
    const [balances, charges] = [fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1e3, max: 1e9 })];
    const moments = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, balances, charges, (date, balance, spent) => {
        const at = date.toISOString();
        const needed = spent * paceAt(at).timesForWeek;
        // The last milliseconds are rounded.
        fc.pre(Math.abs(balance - needed) > needed / 1e6);
        const weeks = (Date.parse(runsOutAt(at, balance, spent)) - date.getTime()) / (7 * 86_400_000);
        expect(weeks < 1).toBe(balance < needed);
      }),
    );
  });
});
