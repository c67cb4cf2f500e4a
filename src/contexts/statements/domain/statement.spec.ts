import { describe, expect, it } from '@jest/globals';
import { monthOf } from './month.js';
import { type Movements, statement } from './statement.js';

const recorded_at = '2026-03-05T09:00:00.000Z';
const movements: Movements = {
  credits: [{ revision: 3, recorded_at, amount_kobo: 500_00, reference: 'r1', reason: null }],
  lookups: 2,
  fees: [
    { key: 'passthrough.bvn', count: 1, amount_kobo: 60_00 },
    { key: 'svc_fee.bvn_nin_data', count: 1, amount_kobo: 50_00 },
    { key: 'svc_fee.identity', count: 2, amount_kobo: 100_00 },
  ],
  refunds: [{ revision: 6, recorded_at, amount_kobo: 50_00, lookup_id: 'l1', rupa_id: 'rp-1', reason: 'failed' }],
};

describe('a statement', () => {
  it('adds up from the opening to the closing balance', () => {
    expect(statement(100_00, movements, 440_00)).toStrictEqual({
      opening_balance_kobo: 100_00,
      credits: movements.credits,
      lookups: 2,
      sections: [
        { section: 'bvn_nin_data', count: 1, amount_kobo: 50_00 },
        { section: 'identity', count: 2, amount_kobo: 100_00 },
      ],
      pass_through: [{ provider: 'bvn', count: 1, amount_kobo: 60_00 }],
      refunds: movements.refunds,
      totals_kobo: { credits: 500_00, sections: 150_00, pass_through: 60_00, refunds: 50_00 },
      closing_balance_kobo: 440_00,
    });
  });

  it('is refused if its movements do not lead to the closing balance', () => {
    expect(() => statement(100_00, movements, 440_01)).toThrow('lead to a balance of 44000 kobo, but its entries say 44001 kobo');
  });

  it('has equal opening and closing balances if nothing moved', () => {
    expect(statement(7, { credits: [], lookups: 0, fees: [], refunds: [] }, 7)).toMatchObject({
      opening_balance_kobo: 7,
      closing_balance_kobo: 7,
      sections: [],
    });
  });
});

describe('a month', () => {
  it('lasts until the first moment of the next month', () => {
    expect(monthOf('2026-03')).toStrictEqual({ name: '2026-03', from: '2026-03-01T00:00:00.000Z', until: '2026-04-01T00:00:00.000Z' });
    expect(monthOf('2025-12')?.until).toBe('2026-01-01T00:00:00.000Z');
  });

  it.each(['2026-13', '2026-00', '2026-3', '2026', '26-03', '2026-03-01', '0026-03', ' 2026-03', ''])('cannot be named %j', (name) => {
    expect(monthOf(name)).toBeUndefined();
  });
});
