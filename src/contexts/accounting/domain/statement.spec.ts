import { describe, expect, it } from '@jest/globals';
import { isClosed, monthOf } from './month.js';
import { addingUpTo, type MovementTotals, statement } from './statement.js';

const movements: MovementTotals = {
  credits_kobo: 500_00,
  refunds_kobo: 50_00,
  lookups: 2,
  fees: [
    { key: 'passthrough.bvn', count: 1, amount_kobo: 60_00 },
    { key: 'svc_fee.bvn_nin_data', count: 1, amount_kobo: 50_00 },
    { key: 'svc_fee.identity', count: 2, amount_kobo: 100_00 },
  ],
};

describe('a statement', () => {
  it('adds up from the opening to the closing balance', () => {
    expect(statement(100_00, movements, 440_00)).toStrictEqual({
      opening_balance_kobo: 100_00,
      lookups: 2,
      sections: [
        { section: 'bvn_nin_data', count: 1, amount_kobo: 50_00 },
        { section: 'identity', count: 2, amount_kobo: 100_00 },
      ],
      pass_through: [{ provider: 'bvn', count: 1, amount_kobo: 60_00 }],
      totals_kobo: { credits: 500_00, sections: 150_00, pass_through: 60_00, refunds: 50_00 },
      closing_balance_kobo: 440_00,
    });
  });

  it('is refused if its movements do not lead to the closing balance', () => {
    expect(() => statement(100_00, movements, 440_01)).toThrow('lead to a balance of 44000 kobo, but its entries say 44001 kobo');
  });

  it('has equal opening and closing balances if nothing moved', () => {
    expect(statement(7, { credits_kobo: 0, refunds_kobo: 0, lookups: 0, fees: [] }, 7)).toMatchObject({
      opening_balance_kobo: 7,
      closing_balance_kobo: 7,
      sections: [],
    });
  });

  it('fails at the end of a list whose amounts do not sum to its total', async () => {
    // eslint-disable-next-line @typescript-eslint/require-await -- the lines come from a list here
    const lines = async function* (): AsyncGenerator<{ amount_kobo: number }> {
      yield* [{ amount_kobo: 3 }, { amount_kobo: 4 }];
    };
    expect(await Array.fromAsync(addingUpTo(7, lines()))).toHaveLength(2);
    await expect(Array.fromAsync(addingUpTo(8, lines()))).rejects.toThrow('lists 7 kobo, but its total is 8 kobo');
  });
});

describe('a month', () => {
  const march = { name: '2026-03', from: '2026-03-01T00:00:00.000Z', until: '2026-04-01T00:00:00.000Z' };

  it('lasts until the first moment of the next month', () => {
    expect(monthOf('2026-03')).toStrictEqual(march);
    expect(monthOf('2025-12')?.until).toBe('2026-01-01T00:00:00.000Z');
  });

  it.each(['2026-13', '2026-00', '2026-3', '2026', '26-03', '2026-03-01', '0026-03', ' 2026-03', ''])('cannot be named %j', (name) => {
    expect(monthOf(name)).toBeUndefined();
  });

  it.each([
    ['2026-03-31T23:59:59.999Z', false, false],
    ['2026-04-01T00:00:00.000Z', false, false],
    ['2026-04-01T00:04:59.999Z', false, false],
    ['2026-04-01T00:05:00.000Z', false, true],
    ['2026-04-01T00:00:00.001Z', true, true],
    ['2026-03-31T23:59:59.999Z', true, true],
  ])('at %s, with a later entry: %s, is closed: %s', (now, hasLaterEntry, closed) => {
    expect(isClosed(march, now, hasLaterEntry)).toBe(closed);
  });
});
