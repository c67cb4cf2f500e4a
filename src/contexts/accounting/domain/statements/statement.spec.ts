import { describe, expect, it } from '@jest/globals';
import { monthBefore, monthOf } from '../month.js';
import { type FeeMovement } from './statement-lines.js';
import { addingUpTo, isTaxInvoice, type MovementTotals, statement, statementNumber } from './statement.js';

const charge: FeeMovement = {
  isCharge: true,
  amount_kobo: -210_00,
  breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.farms': 100_00, 'passthrough.bvn': 60_00 },
  vat_percent: 7.5,
  count: 2,
};
const refund: FeeMovement = { ...charge, isCharge: false, amount_kobo: 210_00, count: 1 };

const movements: MovementTotals = { credits_kobo: 500_00, refunds_kobo: 210_00, lookups: 2, fees: [refund, charge] };
const march = { name: '2026-03', from: '2026-03-01T00:00:00.000Z', until: '2026-04-01T00:00:00.000Z' };

describe('a statement', () => {
  it('adds up from the opening to the closing balance', () => {
    expect(statement(100_00, movements, 390_00)).toMatchObject({
      opening_balance_kobo: 100_00,
      lookups: 2,
      sections: [
        { section: 'farms', count: 2, amount_kobo: 200_00 },
        { section: 'identity', count: 2, amount_kobo: 100_00 },
      ],
      pass_through: [{ provider: 'bvn', count: 2, amount_kobo: 120_00 }],
      totals_kobo: { credits: 500_00, sections: 300_00, pass_through: 120_00, refunds: 210_00, lines: 210_00 },
      closing_balance_kobo: 390_00,
    });
  });

  it('is refused if its movements do not lead to the closing balance', () => {
    expect(() => statement(100_00, movements, 390_01)).toThrow('lead to a balance of 39000 kobo, but its entries say 39001 kobo');
  });

  it('is refused if the fees of its refunds are not their amounts', () => {
    expect(() => statement(100_00, { ...movements, refunds_kobo: 210_01 }, 390_00)).toThrow('other fees than the 21001 kobo');
  });

  it('has equal opening and closing balances if nothing moved', () => {
    expect(statement(7, { credits_kobo: 0, refunds_kobo: 0, lookups: 0, fees: [] }, 7)).toMatchObject({
      opening_balance_kobo: 7,
      closing_balance_kobo: 7,
      lines: [],
      vat: [],
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

  it('has the prefix, the month and the customer number as its number', () => {
    expect(statementNumber('ACME', march, 1001)).toBe('ACME-202603-1001');
  });

  it('is a tax invoice in live mode where a line has VAT and the issuer a tax id', () => {
    const issuer = { name: null, address: null, tax_id: '12345678-0001' };
    const { lines } = statement(100_00, movements, 390_00);
    const untaxed = statement(420_00, { ...movements, credits_kobo: 0, refunds_kobo: 0, fees: [{ ...charge, vat_percent: 0 }] }, 0);
    expect(isTaxInvoice({ lines }, issuer, 'live')).toBe(true);
    expect(isTaxInvoice({ lines }, issuer, 'sandbox')).toBe(false);
    expect(isTaxInvoice({ lines }, { ...issuer, tax_id: null }, 'live')).toBe(false);
    expect(isTaxInvoice(untaxed, issuer, 'live')).toBe(false);
  });
});

describe('a month', () => {
  it('lasts until the first moment of the next month', () => {
    expect(monthOf('2026-03')).toStrictEqual(march);
    expect(monthOf('2025-12')?.until).toBe('2026-01-01T00:00:00.000Z');
  });

  it.each(['2026-13', '2026-00', '2026-3', '2026', '26-03', '2026-03-01', '0026-03', ' 2026-03', ''])('cannot be named %j', (name) => {
    expect(monthOf(name)).toBeUndefined();
  });

  it('follows another', () => {
    expect(monthBefore(march)).toStrictEqual(monthOf('2026-02'));
    expect(monthBefore({ name: '2026-01', from: '2026-01-01T00:00:00.000Z', until: '2026-02-01T00:00:00.000Z' })).toStrictEqual(
      monthOf('2025-12'),
    );
  });
});
