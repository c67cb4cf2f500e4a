import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_KOBO, toNaira } from '../../../../kernel/money.js';
import { type ClosedMonth, type ListedStatement, manifestOf, manifestText } from './statement-manifest.js';

const issuer = { name: 'Rupa Data Ltd', address: null, tax_id: null };
const by = { recorded_at: '2026-04-01T08:00:00.000Z', actor: 'admin:amina' };

function closedWith(partnersHave_kobo: bigint): ClosedMonth {
  const accounts = [
    { account: 'partner_balances', opening_kobo: '0', debit_kobo: '0', credit_kobo: '0', closing_kobo: (-partnersHave_kobo).toString() },
  ];
  return { mode: 'live', period: '2026-03', accounts, entries: 2, index: 40817, issuer, prefix: 'RUPA', ...by };
}

function listed(customer_number: number, amounts: Partial<ListedStatement> = {}): ListedStatement {
  const statement_number = `RUPA-202603-${customer_number}`;
  const file = `${statement_number}.pdf`;
  return {
    ...{
      statement_number,
      partner_id: `p-${customer_number}`,
      customer_number,
      company_name: 'Bank',
      file,
      bytes: 10,
      sha256: 'a'.repeat(64),
    },
    ...{ opening_balance: 0, closing_balance: 0, net: 0, vat: 0, gross: 0, ...amounts },
  };
}

describe('the manifest of a month’s statements', () => {
  it('has what the month was closed with, the statements and their sums', () => {
    const statements = [
      listed(1001, { opening_balance: 100, closing_balance: 57.2, net: 39.81, vat: 2.99, gross: 42.8 }),
      listed(1002, { opening_balance: 0.1, closing_balance: 0.2, net: -0.1, gross: -0.1 }),
    ];
    expect(manifestOf(closedWith(57_40n), 'pdf', statements)).toStrictEqual({
      period: '2026-03',
      mode: 'live',
      closed_at: '2026-04-01T08:00:00.000Z',
      index: 40817,
      format: 'pdf',
      statements,
      totals: { count: 2, bytes: 20, opening_balance: 100.1, closing_balance: 57.4, net: 39.71, vat: 2.99, gross: 42.7 },
    });
  });

  it('is not made if the partners have something else in the closed books, because a statement is missing', () => {
    const statements = [listed(1001, { closing_balance: 10 })];
    expect(() => manifestOf(closedWith(10_01n), 'csv', statements)).toThrow(
      'The statements of 2026-03 close with 1000 kobo together, but the partners have 1001 kobo in the closed books.',
    );
    expect(manifestOf({ ...closedWith(0n), accounts: [] }, 'csv', []).totals).toMatchObject({ count: 0, closing_balance: 0 });
  });

  it('writes the sums of any amounts exactly', () => {
    const kobo = fc.integer({ min: -MAX_KOBO, max: MAX_KOBO });
    fc.assert(
      fc.property(fc.array(kobo, { maxLength: 20 }), (amounts) => {
        const sum = amounts.reduce((total, each) => total + BigInt(each), 0n);
        const statements = amounts.map((each, index) => listed(1001 + index, { closing_balance: toNaira(each) }));
        const text = manifestText(manifestOf(closedWith(sum), 'json', statements));
        const [, naira = '', decimals = ''] = /"totals": \{[^}]*"closing_balance": (-?\d+)(?:\.(\d+))?,/.exec(text) ?? [];
        expect(BigInt(`${naira}${decimals.padEnd(2, '0')}`)).toBe(sum);
      }),
    );
  });
});
