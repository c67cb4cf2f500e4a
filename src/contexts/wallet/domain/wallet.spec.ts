import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { given } from '../../../../test/support/unit/given.js';
import { runWallet, walletCommands } from '../../../../test/support/unit/wallet-history.js';
import { type WalletEvent } from './events.js';
import { mergeSettlements, replayFrom, walletDecider } from './wallet.js';
import { WalletRejection } from './rejections.js';

const at = '2026-11-21T10:00:00.000Z';
const partner_id = 'p1';
const commandBase = { partner_id, at, actor: 'admin' };
const recorded = { partner_id, recorded_at: at, actor: 'admin', open_from_revision: null };

const credited: WalletEvent = {
  type: 'WalletCredited',
  data: { ...recorded, balance_after_kobo: 1_000_00, amount_kobo: 1_000_00, reference: 'r1', reason: null },
};
const debited: WalletEvent = {
  type: 'WalletDebited',
  data: {
    ...recorded,
    balance_after_kobo: 900_00,
    lookup_id: 'l1',
    rupa_id: 'rp-1',
    source: 'loan',
    amount_kobo: 100_00,
    breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.wallet': 50_00 },
    price_book_version: 1,
    key_id: 'k1',
  },
};
const charge = {
  ...commandBase,
  kind: 'charge' as const,
  lookup_id: 'l1',
  rupa_id: 'rp-1',
  source: 'loan',
  breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.wallet': 50_00 },
  price_book_version: 1,
  key_id: 'k1',
  grants_consent: false,
};

describe('crediting', () => {
  const credit = { ...commandBase, kind: 'credit' as const, amount_kobo: 1_000_00, reference: 'r1', checked_to_revision: -1n };

  it('adds to the balance', () => {
    given(walletDecider, []).when(credit).then([credited]);
  });

  it('records the reason', () => {
    given(walletDecider, [])
      .when({ ...credit, reason: 'goodwill' })
      .then([{ ...credited, data: { ...credited.data, reason: 'goodwill' } }]);
  });

  it('appends nothing for a known reference with the same amount, even if the reason differs', () => {
    given(walletDecider, [credited]).when(credit).thenNothing();
    given(walletDecider, [credited])
      .when({ ...credit, reason: 'goodwill' })
      .thenNothing();
  });

  it('rejects a known reference with another amount', () => {
    given(walletDecider, [credited])
      .when({ ...credit, amount_kobo: 1 })
      .thenRejected('reference_reused', { reference: 'r1' });
  });

  it('is rejected if some entries were neither searched by the caller nor folded into the state', () => {
    const state = walletDecider.evolve(walletDecider.initialState, { ...debited, revision: 10n });
    expect(() => walletDecider.decide({ ...credit, reference: 'r2', checked_to_revision: 8n }, state)).toThrow(
      new WalletRejection('credit_history_moved'),
    );
    expect(walletDecider.decide({ ...credit, reference: 'r2', checked_to_revision: 9n }, state)).toHaveLength(1);
  });

  it('is rejected if the balance would exceed the safe integers', () => {
    given(walletDecider, [credited])
      .when({ ...credit, reference: 'r2', amount_kobo: Number.MAX_SAFE_INTEGER })
      .thenRejected('balance_limit');
  });

  it('never records a time before that of the previous entry', () => {
    const backdated = { ...credit, reference: 'r2', at: '2020-01-01T00:00:00.000Z' };
    const next = { ...credited, data: { ...credited.data, reference: 'r2', balance_after_kobo: 2_000_00 } };
    given(walletDecider, [credited]).when(backdated).then([next]);
  });
});

describe('charging', () => {
  it('debits the sum of the breakdown', () => {
    given(walletDecider, [credited]).when(charge).then([debited]);
  });

  it('grants the consent in the same append', () => {
    const { lookup_id, rupa_id, source } = charge;
    const granted: WalletEvent = {
      type: 'ConsentGranted',
      data: { ...recorded, balance_after_kobo: 900_00, open_from_revision: 1, lookup_id, rupa_id, source },
    };
    given(walletDecider, [credited])
      .when({ ...charge, grants_consent: true })
      .then([debited, granted]);
  });

  it('may spend the whole balance', () => {
    const all = { ...charge, breakdown_kobo: { 'svc_fee.identity': 1_000_00 } };
    const data = { ...debited.data, amount_kobo: 1_000_00, breakdown_kobo: all.breakdown_kobo, balance_after_kobo: 0 };
    given(walletDecider, [credited])
      .when(all)
      .then([{ type: 'WalletDebited', data }] as WalletEvent[]);
  });

  it('is rejected, with the amounts, if the fees exceed the balance by one kobo', () => {
    const breakdown_kobo = { 'svc_fee.identity': 1_000_01 };
    given(walletDecider, [credited])
      .when({ ...charge, breakdown_kobo })
      .thenRejected('insufficient_balance', { required_kobo: 1_000_01, available_kobo: 1_000_00, breakdown_kobo });
  });

  it('appends nothing for a lookup whose charge is open', () => {
    given(walletDecider, [credited, debited]).when(charge).thenNothing();
  });
});

describe('closing charges', () => {
  const settled: WalletEvent = {
    type: 'ChargesSettled',
    data: { ...recorded, balance_after_kobo: 900_00, open_from_revision: 1, charges: [{ lookup_id: 'l1', debit_revision: 1 }] },
  };
  const refunded: WalletEvent = {
    type: 'RefundIssued',
    data: {
      ...recorded,
      balance_after_kobo: 1_000_00,
      open_from_revision: 1,
      lookup_id: 'l1',
      debit_revision: 1,
      rupa_id: 'rp-1',
      amount_kobo: 100_00,
      reason: 'failed',
    },
  };
  const settle = { ...commandBase, kind: 'settle' as const, lookup_ids: ['l1'] };
  const refund = { ...commandBase, kind: 'refund' as const, lookup_ids: ['l1'], reason: 'failed' };

  it('settles an open charge', () => {
    given(walletDecider, [credited, debited]).when(settle).then([settled]);
  });

  it('refunds an open charge', () => {
    given(walletDecider, [credited, debited]).when(refund).then([refunded]);
  });

  it('leaves settled and refunded charges as they are', () => {
    given(walletDecider, [credited, debited, settled]).when(refund).thenNothing();
    given(walletDecider, [credited, debited, refunded]).when(settle).thenNothing();
    given(walletDecider, [credited, debited, refunded]).when(refund).thenNothing();
  });

  it('refunds a charge once if its lookup is named twice, and ignores unknown lookups', () => {
    given(walletDecider, [credited, debited])
      .when({ ...refund, lookup_ids: ['l0', 'l1', 'l1'] })
      .then([refunded]);
  });

  it('settles a charge once if its lookup is named twice, and ignores unknown lookups', () => {
    given(walletDecider, [credited, debited])
      .when({ ...settle, lookup_ids: ['l1', 'l0', 'l1'] })
      .then([settled]);
  });

  it('records with each of several refunds the oldest charge that was open before it', () => {
    const second: WalletEvent = {
      type: 'WalletDebited',
      data: { ...debited.data, lookup_id: 'l2', balance_after_kobo: 800_00, open_from_revision: 1 },
    };
    const first = { ...refunded, data: { ...refunded.data, balance_after_kobo: 900_00 } } as WalletEvent;
    const last = { ...refunded, data: { ...refunded.data, lookup_id: 'l2', debit_revision: 2, open_from_revision: 2 } } as WalletEvent;
    given(walletDecider, [credited, debited, second])
      .when({ ...refund, lookup_ids: ['l1', 'l2'] })
      .then([first, last]);
  });

  it('merges settlements into one, and nothing else', () => {
    expect(mergeSettlements([settle, { ...settle, lookup_ids: ['l2', 'l3'] }])).toStrictEqual({
      ...settle,
      lookup_ids: ['l1', 'l2', 'l3'],
    });
    expect(() => mergeSettlements([settle, refund])).toThrow();
  });
});

describe('any wallet history', () => {
  it('conserves money and never has a negative balance', () => {
    fc.assert(
      fc.property(walletCommands(), (commands) => {
        const { events, state } = runWallet(commands);
        let balance = 0;
        for (const { type, data } of events) {
          if (type === 'WalletCredited' || type === 'RefundIssued') balance += data.amount_kobo;
          if (type === 'WalletDebited') balance -= data.amount_kobo;
          expect(data.balance_after_kobo).toBe(balance);
          expect(balance).toBeGreaterThanOrEqual(0);
        }
        expect(state.balance_kobo).toBe(balance);
      }),
    );
  });

  it('gives the same state when folded from the revision that its last entry names', () => {
    fc.assert(
      fc.property(walletCommands(), (commands) => {
        const { events, state } = runWallet(commands);
        const last = events.at(-1);
        if (!last) return;
        const from = replayFrom({ revision: last.revision, data: { ...last.data } });
        const folded = events
          .slice(Number(from))
          .reduce((partial, event) => walletDecider.evolve(partial, event), walletDecider.initialState);
        expect(folded.balance_kobo).toBe(state.balance_kobo);
        expect(folded.recorded_at).toBe(state.recorded_at);
        expect([...folded.open]).toStrictEqual([...state.open]);
      }),
    );
  });
});
