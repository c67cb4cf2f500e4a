import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  compensated,
  credited,
  debited,
  granted,
  paidOut,
  refunded,
  reversed,
  settled,
} from '../../../../test/support/unit/wallet-events.js';
import { runWallet, walletCommands } from '../../../../test/support/unit/wallet-history.js';
import { type WalletEvent } from '../../wallet/domain/events.js';
import { type Posting, postings } from './postings.js';

describe('the postings', () => {
  it('of a credit debit cash and credit the partners’ balances', () => {
    expect(postings(credited(1_000_00))).toStrictEqual([
      { account: 'cash_received', debit_kobo: 1_000_00, credit_kobo: 0 },
      { account: 'partner_balances', debit_kobo: 0, credit_kobo: 1_000_00 },
    ]);
  });

  it('of a lookup debit the partners’ balances and credit income by section and payables by provider', () => {
    const { data } = debited('l1', 'rp-1') as Extract<WalletEvent, { type: 'WalletDebited' }>;
    const breakdown_kobo = { 'svc_fee.identity': 50_00, 'svc_fee.bvn_nin_data': 0, 'passthrough.bvn': 60_00 };
    expect(postings({ type: 'WalletDebited', data: { ...data, amount_kobo: 110_00, breakdown_kobo } })).toStrictEqual([
      { account: 'partner_balances', debit_kobo: 110_00, credit_kobo: 0 },
      { account: 'revenue.identity', debit_kobo: 0, credit_kobo: 50_00 },
      { account: 'passthrough_payable.bvn', debit_kobo: 0, credit_kobo: 60_00 },
    ]);
  });

  it('of a refund that was recorded without fees debit the contra account and credit the partners’ balances', () => {
    expect(postings(refunded('l1', 'rp-1', 1))).toStrictEqual([
      { account: 'refunds', debit_kobo: 100_00, credit_kobo: 0 },
      { account: 'partner_balances', debit_kobo: 0, credit_kobo: 100_00 },
    ]);
  });

  it.each([
    ['payment', 'cash_received'],
    ['goodwill', 'goodwill_expense'],
    ['correction', 'correction_expense'],
  ] as const)('of a credit of the kind %s, and of its reversal, use the account %s', (kind, account) => {
    expect(postings(credited(5, 'r1', { kind }))[0]).toStrictEqual({ account, debit_kobo: 5, credit_kobo: 0 });
    expect(postings(reversed(5, 'r1', { kind }))).toStrictEqual([
      { account: 'partner_balances', debit_kobo: 5, credit_kobo: 0 },
      { account, debit_kobo: 0, credit_kobo: 5 },
    ]);
  });

  it('of a payment split what reached the bank from the bank’s fee and the withheld tax, as does its reversal', () => {
    const deducted = { bank_fee_kobo: 50, withheld_tax_kobo: 100 };
    const parts = [
      ['cash_received', 850],
      ['bank_charges', 50],
      ['wht_receivable', 100],
    ] as const;
    expect(postings(credited(1_000, 'r1', deducted))).toStrictEqual([
      ...parts.map(([account, debit_kobo]) => ({ account, debit_kobo, credit_kobo: 0 })),
      { account: 'partner_balances', debit_kobo: 0, credit_kobo: 1_000 },
    ]);
    expect(postings(reversed(1_000, 'r1', deducted))).toStrictEqual([
      { account: 'partner_balances', debit_kobo: 1_000, credit_kobo: 0 },
      ...parts.map(([account, credit_kobo]) => ({ account, debit_kobo: 0, credit_kobo })),
    ]);
  });

  it('of a payout debit the partners’ balances and credit cash', () => {
    expect(postings(paidOut(7))).toStrictEqual([
      { account: 'partner_balances', debit_kobo: 7, credit_kobo: 0 },
      { account: 'cash_received', debit_kobo: 0, credit_kobo: 7 },
    ]);
  });

  it.each([
    ['refund', refunded('l1', 'rp-1', 1, { breakdown_kobo: { 'svc_fee.farms': 40_00, 'passthrough.nin': 60_00 } })],
    ['compensation', compensated('l1', 'rp-1', 1, { breakdown_kobo: { 'svc_fee.farms': 40_00, 'passthrough.nin': 60_00 } })],
  ])('of a %s debit the accounts of the charge', (_what, event) => {
    expect(postings(event)).toStrictEqual([
      { account: 'revenue.farms', debit_kobo: 40_00, credit_kobo: 0 },
      { account: 'passthrough_payable.nin', debit_kobo: 60_00, credit_kobo: 0 },
      { account: 'partner_balances', debit_kobo: 0, credit_kobo: 100_00 },
    ]);
  });

  it('of a charge with VAT split each section’s fee, and leave what is passed through whole', () => {
    const breakdown_kobo = { 'svc_fee.identity': 50_00, 'svc_fee.farms': 30_00, 'passthrough.bvn': 20_00 };
    expect(postings(debited('l1', 'rp-1', { breakdown_kobo, vat_percent: 7.5 }))).toStrictEqual([
      { account: 'partner_balances', debit_kobo: 100_00, credit_kobo: 0 },
      { account: 'revenue.identity', debit_kobo: 0, credit_kobo: 46_51 },
      { account: 'vat_payable', section: 'identity', debit_kobo: 0, credit_kobo: 3_49 },
      { account: 'revenue.farms', debit_kobo: 0, credit_kobo: 27_91 },
      { account: 'vat_payable', section: 'farms', debit_kobo: 0, credit_kobo: 2_09 },
      { account: 'passthrough_payable.bvn', debit_kobo: 0, credit_kobo: 20_00 },
    ]);
  });

  it.each([
    ['refund', refunded],
    ['compensation', compensated],
  ])('of a %s take back the income and the VAT of its charge, line by line', (_what, event) => {
    const charge = { breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.farms': 30_00, 'passthrough.bvn': 20_00 }, vat_percent: 7.5 };
    const taken = postings(event('l1', 'rp-1', 1, charge));
    const charged = postings(debited('l1', 'rp-1', charge));
    const swapped = charged.map(({ debit_kobo, credit_kobo, ...rest }) => ({ ...rest, debit_kobo: credit_kobo, credit_kobo: debit_kobo }));
    expect(taken).toStrictEqual([...swapped.slice(1), swapped[0]]);
  });

  it('of a refund that was recorded without fees hold no VAT', () => {
    expect(postings(refunded('l1', 'rp-1', 1)).map(({ account }) => account)).toStrictEqual(['refunds', 'partner_balances']);
  });

  it('of an event that moves no money are empty', () => {
    expect([...postings(granted('l1', 'rp-1')), ...postings(settled({ lookup_id: 'l1', debit_revision: 1 }))]).toStrictEqual([]);
  });
});

describe('the postings of any history', () => {
  const net = (posted: readonly Posting[]): number =>
    posted.reduce((sum, { debit_kobo, credit_kobo }) => sum + debit_kobo - credit_kobo, 0);

  it('balance for each event, and the partners’ balances are the wallet’s balance', () => {
    fc.assert(
      fc.property(walletCommands(), (commands) => {
        const { events, state } = runWallet(commands);
        for (const event of events) expect(net(postings(event))).toBe(0);
        const all = events.flatMap(postings);
        expect(net(all.filter(({ account }) => account === 'partner_balances'))).toBe(0 - state.balance_kobo);
        expect(all.every(({ debit_kobo, credit_kobo }) => debit_kobo >= 0 && credit_kobo >= 0)).toBe(true);
      }),
    );
  });
});
