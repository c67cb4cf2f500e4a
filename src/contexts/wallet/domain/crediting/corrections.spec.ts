import { describe, expect, it } from '@jest/globals';
import { givenWallet } from '../../../../../test/support/unit/given-wallet.js';
import { commandBase, recorded, credited, debited, paidOut, reversed, settled } from '../../../../../test/support/unit/wallet-decisions.js';
import { NO_DEDUCTIONS } from '../deductions.js';
import { type WalletEvent } from '../events.js';
import { WalletRejection } from '../wallet-command.js';
import { walletDecider } from '../wallet.js';
import { NOTHING_SEARCHED, searchedTo } from '../../../../../test/support/unit/searched-entries.js';

describe('reversing a credit', () => {
  const nothingFound = { reversed_kobo: 0, isOtherReference: false };
  const reverse = {
    ...commandBase,
    kind: 'reverse' as const,
    credit_reference: 'r1',
    amount_kobo: 300_00,
    reference: 'v1',
    reason: 'credited twice',
    found: nothingFound,
    ...NOTHING_SEARCHED,
  };

  it('takes back a part of it', () => {
    givenWallet([credited]).when(reverse).then([reversed]);
  });

  it('takes back what is left of it if no amount is given', () => {
    const data = { ...reversed.data, balance_after_kobo: 0, amount_kobo: 700_00, reference: 'v2' };
    givenWallet([credited, reversed])
      .when({ ...reverse, amount_kobo: null, reference: 'v2' })
      .then([{ type: 'CreditReversed', data }]);
  });

  it('appends nothing for a known reference, with the same amount or none', () => {
    givenWallet([credited, reversed]).when(reverse).thenNothing();
    givenWallet([credited, reversed])
      .when({ ...reverse, amount_kobo: null })
      .thenNothing();
  });

  it.each([{ amount_kobo: 1 }, { credit_reference: 'r2' }, { reference: 'r1' }])('rejects a known reference with %j', (other) => {
    givenWallet([credited, reversed])
      .when({ ...reverse, ...other })
      .thenRejected('reference_reused');
  });

  it.each([
    ['more than what is left of the credit', [credited, reversed], { reference: 'v2', amount_kobo: 700_01 }, 700_00],
    ['more than the balance', [credited, debited], { amount_kobo: 900_01 }, 900_00],
    ['the rest if it is more than the balance', [credited, debited], { amount_kobo: null }, 900_00],
    ['a credit that does not exist', [credited], { credit_reference: 'r9' }, 0],
  ] as [string, WalletEvent[], object, number][])(
    'rejects %s, with the amount that could be reversed',
    (_what, events, change, reversible_kobo) => {
      givenWallet(events)
        .when({ ...reverse, ...change })
        .thenRejected('credit_not_reversible', { credit_reference: { ...reverse, ...change }.credit_reference, reversible_kobo });
    },
  );

  it('is rejected if nothing is left of the credit', () => {
    const all = { ...reversed, data: { ...reversed.data, balance_after_kobo: 0, amount_kobo: 1_000_00 } } as WalletEvent;
    const another = { ...credited, data: { ...credited.data, reference: 'r2' } } as WalletEvent;
    givenWallet([credited, all, another])
      .when({ ...reverse, reference: 'v2', amount_kobo: null })
      .thenRejected('credit_not_reversible', { credit_reference: 'r1', reversible_kobo: 0 });
  });

  it('counts what the caller found once, even if the state knows it, too', () => {
    const found = {
      credit: { amount_kobo: 1_000_00, kind: 'payment' as const, deductions: NO_DEDUCTIONS },
      reversed_kobo: 300_00,
      isOtherReference: false,
    };
    const { state } = givenWallet([credited, reversed]);
    const command = { ...reverse, reference: 'v2', amount_kobo: null, found, ...searchedTo(1n) };
    expect(walletDecider.decide(command, state)).toMatchObject([{ data: { amount_kobo: 700_00 } }]);
  });

  it('is rejected if some entries were neither searched by the caller nor folded into the state', () => {
    const state = walletDecider.evolve(walletDecider.initialState, { ...debited, revision: 10n });
    expect(() => walletDecider.decide({ ...reverse, ...searchedTo(8n) }, state)).toThrow(new WalletRejection('credit_history_moved'));
  });
});

describe('paying out', () => {
  const { amount_kobo, reference, reason } = paidOut.data;
  const payOut = { ...commandBase, kind: 'pay_out' as const, amount_kobo, reference, reason, ...NOTHING_SEARCHED };

  it('takes a part of the balance', () => {
    givenWallet([credited]).when(payOut).then([paidOut]);
  });

  it('takes all of it, and not a kobo more', () => {
    const data = { ...paidOut.data, balance_after_kobo: 0, amount_kobo: 900_00 };
    const history = [credited, debited];
    givenWallet(history)
      .when({ ...payOut, amount_kobo: 900_00 })
      .then([{ type: 'WalletPaidOut', data: { ...data, open_from_revision: 1 } }]);
    givenWallet(history)
      .when({ ...payOut, amount_kobo: 900_01 })
      .thenRejected('payout_too_high', { available_kobo: 900_00 });
  });

  it('appends nothing for a known reference with the same amount', () => {
    givenWallet([credited, paidOut]).when(payOut).thenNothing();
  });

  it.each([
    ['a payout of another amount', [credited, paidOut], { amount_kobo: 1 }],
    ['a credit', [credited], { reference: 'r1' }],
    ['a reversal', [credited, reversed], { reference: 'v1' }],
  ] as [string, WalletEvent[], object][])('rejects the reference of %s', (_what, events, change) => {
    givenWallet(events)
      .when({ ...payOut, ...change })
      .thenRejected('reference_reused', { reference: { ...payOut, ...change }.reference });
  });

  it('keeps its reference from credits and reversals', () => {
    const credit = { ...commandBase, kind: 'credit' as const, amount_kobo, reference, ...NOTHING_SEARCHED };
    givenWallet([credited, paidOut]).when(credit).thenRejected('reference_reused', { reference });
    const found = { reversed_kobo: 0, isOtherReference: false };
    const reverse = { ...commandBase, kind: 'reverse' as const, credit_reference: 'r1', amount_kobo: 1, reference, reason, found };
    givenWallet([credited, paidOut])
      .when({ ...reverse, ...NOTHING_SEARCHED })
      .thenRejected('reference_reused', { reference });
  });

  it('is rejected if some entries were neither searched by the caller nor folded into the state', () => {
    const state = walletDecider.evolve(walletDecider.initialState, { ...credited, revision: 10n });
    expect(() => walletDecider.decide({ ...payOut, ...searchedTo(8n) }, state)).toThrow(new WalletRejection('credit_history_moved'));
  });
});

describe('a wallet with thousands of credits, reversals, payouts and refunds', () => {
  const count = 2_500;
  const histories: readonly [string, (index: number) => WalletEvent][] = [
    ['credits', (index) => ({ type: 'WalletCredited', data: { ...credited.data, reference: `r${index}` } })],
    ['reversals', (index) => ({ type: 'CreditReversed', data: { ...reversed.data, reference: `v${index}` } })],
    ['payouts', (index) => ({ type: 'WalletPaidOut', data: { ...paidOut.data, reference: `p${index}` } })],
    [
      'given_back',
      (index) => {
        const { amount_kobo, rupa_id } = debited.data;
        const data = { ...recorded, balance_after_kobo: 0, lookup_id: `l${index}`, debit_revision: 0, rupa_id, amount_kobo, reason: 'x' };
        return { type: 'RefundIssued', data };
      },
    ],
  ];

  it.each(histories)('remembers a bounded number of %s, and asks for a search of the earlier ones', (name, eventOf) => {
    const { state } = givenWallet(Array.from({ length: count }, (_unused, index) => eventOf(index)));
    const remembered = state[name as 'credits'];
    const first = count - remembered.size;
    expect(remembered.size).toBe(1_000);
    expect([state.known_from, [...remembered.values()][0]?.revision]).toStrictEqual([BigInt(first), BigInt(first)]);
    const credit = { ...commandBase, kind: 'credit' as const, amount_kobo: 1, reference: 'new' };
    expect(walletDecider.decide({ ...credit, ...searchedTo(BigInt(first - 1)) }, state)).toHaveLength(1);
    expect(() => walletDecider.decide({ ...credit, ...searchedTo(BigInt(first - 2)) }, state)).toThrow(
      new WalletRejection('credit_history_moved'),
    );
  });
});

describe('compensating a lookup', () => {
  const found = {
    debit_revision: 1,
    rupa_id: 'rp-1',
    amount_kobo: 100_00,
    breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.wallet': 50_00 },
    vat_percent: 0,
  };
  const compensate = {
    ...commandBase,
    kind: 'compensate' as const,
    lookup_id: 'l1',
    reason: 'a complaint',
    found,
    ...searchedTo(2n),
  };
  const { vat_percent: _none, ...charge } = found;
  const data = { ...recorded, balance_after_kobo: 1_000_00, lookup_id: 'l1', ...charge, reason: 'a complaint' };
  const compensated: WalletEvent = { type: 'LookupCompensated', data };

  it('gives back the with its fees', () => {
    givenWallet([credited, debited, settled]).when(compensate).then([compensated]);
  });

  it('repeats the rate of VAT of the charge', () => {
    givenWallet([credited, debited, settled])
      .when({ ...compensate, found: { ...found, vat_percent: 7.5 } })
      .then([{ type: 'LookupCompensated', data: { ...data, vat_percent: 7.5 } }]);
  });

  it('happens at most once', () => {
    givenWallet([credited, debited, settled, compensated]).when(compensate).thenNothing();
    givenWallet([credited, debited, settled])
      .when({ ...compensate, found: { ...found, given_back: 'compensated' } })
      .thenNothing();
  });

  it('is rejected while the charge is open, and after it was refunded', () => {
    const refunded: WalletEvent = { type: 'RefundIssued', data };
    givenWallet([credited, debited]).when(compensate).thenRejected('charge_open');
    givenWallet([credited, debited, refunded]).when(compensate).thenRejected('charge_refunded');
    givenWallet([credited, debited, settled])
      .when({ ...compensate, found: { ...found, given_back: 'refunded' } })
      .thenRejected('charge_refunded');
  });

  it('is rejected if some entries were neither searched by the caller nor folded into the state', () => {
    const state = walletDecider.evolve(walletDecider.initialState, { ...settled, revision: 10n });
    expect(() => walletDecider.decide({ ...compensate, ...searchedTo(8n) }, state)).toThrow(new WalletRejection('credit_history_moved'));
  });
});
