import { describe, expect, it } from '@jest/globals';
import { kindOf, OPENING_ACCOUNTS } from './chart-of-accounts.js';
import { cashMovedBy, ENTRY_ACCOUNTS, entryPostings, entrySides } from './entry-postings.js';
import { ENTRY_KINDS } from './events.js';

describe('the postings of a ledger entry', () => {
  it.each([
    ['passthrough_settlement', 'bvn', 'passthrough_payable.bvn', 'cash_received', -500],
    ['vat_remittance', undefined, 'vat_payable', 'cash_received', -500],
    ['wht_certificate', undefined, 'wht_credit_notes', 'wht_receivable', 0],
    ['bank_charge', undefined, 'bank_charges', 'cash_received', -500],
    ['bank_interest', undefined, 'cash_received', 'interest_income', 500],
    ['opening_balance', 'cash_received', 'cash_received', 'opening_balances', 0],
    ['opening_balance', 'correction_expense', 'correction_expense', 'opening_balances', 0],
    ['opening_balance', 'passthrough_payable.nin', 'opening_balances', 'passthrough_payable.nin', 0],
  ] as const)(
    'of the kind %s (%s) debit %s and credit %s, and those of its reversal are exchanged',
    (kind, account, debited, credited, cash_kobo) => {
      const entry = { kind, amount_kobo: 500, ...(account !== undefined && { account }) };
      const lines = (first: string, second: string) => [
        { account: first, debit_kobo: 500, credit_kobo: 0 },
        { account: second, debit_kobo: 0, credit_kobo: 500 },
      ];
      expect(entryPostings(entry)).toStrictEqual(lines(debited, credited));
      const reversal = { ...entry, kind: 'reversal' as const, of_kind: kind };
      expect(entryPostings(reversal)).toStrictEqual(lines(credited, debited));
      expect([cashMovedBy(entry), 0 - cashMovedBy(reversal)]).toStrictEqual([cash_kobo, cash_kobo]);
    },
  );

  it('are to accounts of the chart', () => {
    const entries = ENTRY_KINDS.flatMap((kind) => (ENTRY_ACCOUNTS[kind] ?? ['']).map((account) => ({ kind, account })));
    const posted = entries.filter(({ kind }) => kind !== 'reversal').flatMap(entrySides);
    expect(posted.filter((account) => kindOf(account) === null)).toStrictEqual([]);
  });
});

describe('the accounts of opening balances', () => {
  it('are assets, expenses and liabilities, but not what wallets alone say', () => {
    expect([...new Set(OPENING_ACCOUNTS.map(kindOf))].sort()).toStrictEqual(['asset', 'expense', 'liability']);
    expect(OPENING_ACCOUNTS).not.toContain('partner_balances');
  });
});
