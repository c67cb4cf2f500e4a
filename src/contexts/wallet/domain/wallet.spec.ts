import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { givenWallet } from '../../../../test/support/unit/given-wallet.js';
import { at, commandBase, recorded, credited, debited, reversed, settled, charge } from '../../../../test/support/unit/wallet-decisions.js';
import { runWallet, walletCommands } from '../../../../test/support/unit/wallet-history.js';
import { MAX_KOBO } from '../../../kernel/money.js';
import { type WalletEvent } from './events.js';
import { GrowingMap } from './growing-map.js';
import { mergeSettlements, replayFrom, walletDecider } from './wallet.js';
import { WalletRejection } from './wallet-command.js';
import { chargeOf } from '../../../../test/support/unit/charge-of.js';
import { ALL_SEARCHED, NOTHING_SEARCHED, searchedTo } from '../../../../test/support/unit/searched-entries.js';

describe('crediting', () => {
  const credit = { ...commandBase, kind: 'credit' as const, amount_kobo: 1_000_00, reference: 'r1', ...NOTHING_SEARCHED };

  it('adds to the balance', () => {
    givenWallet([]).when(credit).then([credited]);
  });

  it('records the reason', () => {
    givenWallet([])
      .when({ ...credit, reason: 'goodwill' })
      .then([{ ...credited, data: { ...credited.data, reason: 'goodwill' } }]);
  });

  it('appends nothing for a known reference with the same amount, even if the reason differs', () => {
    givenWallet([credited]).when(credit).thenNothing();
    givenWallet([credited])
      .when({ ...credit, reason: 'goodwill' })
      .thenNothing();
  });

  it('rejects a known reference with another amount', () => {
    givenWallet([credited])
      .when({ ...credit, amount_kobo: 1 })
      .thenRejected('reference_reused', { reference: 'r1' });
  });

  it('is rejected if some entries were neither searched by the caller nor folded into the state', () => {
    const state = walletDecider.evolve(walletDecider.initialState, { ...debited, revision: 10n });
    expect(() => walletDecider.decide({ ...credit, reference: 'r2', ...searchedTo(8n) }, state)).toThrow(
      new WalletRejection('credit_history_moved'),
    );
    expect(walletDecider.decide({ ...credit, reference: 'r2', ...searchedTo(9n) }, state)).toHaveLength(1);
  });

  it.each(['goodwill', 'correction'] as const)('records that it is %s', (kind) => {
    givenWallet([])
      .when({ ...credit, credit_kind: kind, reason: 'a long outage' })
      .then([{ ...credited, data: { ...credited.data, kind, reason: 'a long outage' } }]);
  });

  it('rejects a known reference with another kind, and the reference of a reversal', () => {
    givenWallet([credited])
      .when({ ...credit, credit_kind: 'goodwill', reason: 'x' })
      .thenRejected('reference_reused', { reference: 'r1' });
    givenWallet([credited, reversed])
      .when({ ...credit, reference: 'v1' })
      .thenRejected('reference_reused', { reference: 'v1' });
  });

  it('is rejected if the balance would exceed the safe integers', () => {
    givenWallet([credited])
      .when({ ...credit, reference: 'r2', amount_kobo: Number.MAX_SAFE_INTEGER })
      .thenRejected('balance_limit');
  });

  it('never records a time before that of the previous entry', () => {
    const backdated = { ...credit, reference: 'r2', at: '2020-01-01T00:00:00.000Z' };
    const next = { ...credited, data: { ...credited.data, reference: 'r2', balance_after_kobo: 2_000_00 } };
    givenWallet([credited]).when(backdated).then([next]);
  });
});

describe('charging', () => {
  it('debits the sum of the breakdown', () => {
    givenWallet([credited]).when(chargeOf(charge)).then([debited]);
  });

  it('grants the consent in the same append', () => {
    const { lookup_id, rupa_id, source } = charge;
    const granted: WalletEvent = {
      type: 'ConsentGranted',
      data: { ...recorded, balance_after_kobo: 900_00, open_from_revision: 1, lookup_id, rupa_id, source },
    };
    givenWallet([credited])
      .when(chargeOf({ ...charge, grants_consent: true }))
      .then([debited, granted]);
  });

  it('may spend the whole balance', () => {
    const all = { ...charge, breakdown_kobo: { 'svc_fee.identity': 1_000_00 } };
    const data = { ...debited.data, amount_kobo: 1_000_00, breakdown_kobo: all.breakdown_kobo, balance_after_kobo: 0 };
    givenWallet([credited])
      .when(chargeOf(all))
      .then([{ type: 'WalletDebited', data }] as WalletEvent[]);
  });

  it('is rejected, with the amounts, if the fees exceed the balance by one kobo', () => {
    const breakdown_kobo = { 'svc_fee.identity': 1_000_01 };
    givenWallet([credited])
      .when(chargeOf({ ...charge, breakdown_kobo }))
      .thenRejected('insufficient_balance', { required_kobo: 1_000_01, available_kobo: 1_000_00, breakdown_kobo });
  });

  it.each([{ fee: -1 }, { fee: 0.5 }, { fee: NaN }, { a: 2 ** 53 - 1, b: 2 }, { a: 5, b: -5 }])(
    'never takes fees such as %j',
    (breakdown_kobo) => {
      const state = { ...walletDecider.initialState, balance_kobo: 1_000_00 };
      expect(() => walletDecider.decide(chargeOf({ ...charge, breakdown_kobo }), state)).toThrow('whole kobo');
    },
  );

  it('is refused once other prices are in force at the time at which it is recorded', () => {
    const ahead: WalletEvent = { ...credited, data: { ...credited.data, recorded_at: '2026-11-21T10:00:05.000Z' } };
    const rejected = { at: '2026-11-21T10:00:05.000Z' };
    const priced = (price_until: string) => givenWallet([ahead]).when(chargeOf({ ...charge, price_until }));
    priced('2026-11-21T10:00:04.000Z').thenRejected('price_changed', rejected);
    priced('2026-11-21T10:00:05.000Z').thenRejected('price_changed', rejected);
    const data = { ...debited.data, actor: charge.actor, recorded_at: rejected.at };
    priced('2026-11-21T10:00:05.001Z').then([{ ...debited, data }]);
  });

  it('appends nothing for a lookup whose charge is open', () => {
    givenWallet([credited, debited]).when(chargeOf(charge)).thenNothing();
  });
});

describe('closing charges', () => {
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
      breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.wallet': 50_00 },
      reason: 'failed',
    },
  };
  const settle = { ...commandBase, kind: 'settle' as const, lookup_ids: ['l1'] };
  const refund = { ...commandBase, kind: 'refund' as const, lookup_ids: ['l1'], reason: 'failed' };

  it('settles an open charge', () => {
    givenWallet([credited, debited]).when(settle).then([settled]);
  });

  it('refunds an open charge', () => {
    givenWallet([credited, debited]).when(refund).then([refunded]);
  });

  it('leaves settled and refunded charges as they are', () => {
    givenWallet([credited, debited, settled]).when(refund).thenNothing();
    givenWallet([credited, debited, refunded]).when(settle).thenNothing();
    givenWallet([credited, debited, refunded]).when(refund).thenNothing();
  });

  it('refunds a charge once if its lookup is named twice, and ignores unknown lookups', () => {
    givenWallet([credited, debited])
      .when({ ...refund, lookup_ids: ['l0', 'l1', 'l1'] })
      .then([refunded]);
  });

  it('settles a charge once if its lookup is named twice, and ignores unknown lookups', () => {
    givenWallet([credited, debited])
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
    givenWallet([credited, debited, second])
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

describe('a wallet near the largest exact amount', () => {
  const largeCommands = fc
    .array(
      fc.oneof(
        fc.tuple(fc.integer({ min: MAX_KOBO / 2, max: MAX_KOBO }), fc.nat()).map(([amount_kobo, reference]) => ({
          kind: 'credit' as const,
          amount_kobo,
          reference: String(reference),
          ...ALL_SEARCHED,
        })),
        fc
          .tuple(fc.nat(9), fc.integer({ min: 0, max: MAX_KOBO }))
          .map(([lookup, fee]) => chargeOf({ ...charge, lookup_id: `l${lookup}`, breakdown_kobo: { fee } })),
        fc.nat(9).map((lookup) => ({ kind: 'settle' as const, lookup_ids: [`l${lookup}`] })),
      ),
      { maxLength: 20 },
    )
    .map((commands) => commands.map((each) => ({ ...commandBase, ...each })));

  it('records no balance beyond it, and can refund every open charge', () => {
    fc.assert(
      fc.property(largeCommands, (commands) => {
        const { events, state } = runWallet(commands);
        const refunds = walletDecider.decide(
          { ...commandBase, kind: 'refund', lookup_ids: [...state.open.keys()], reason: 'failed' },
          state,
        );
        expect(refunds).toHaveLength(state.open.size);
        for (const { data } of [...events, ...refunds]) expect(data.balance_after_kobo).toBeLessThanOrEqual(MAX_KOBO);
      }),
    );
  });

  it('of an earlier release, whose balance was not limited, refunds nothing beyond the safe integers', () => {
    const charged = { debit_revision: 1, debited_at: at, rupa_id: 'rp-1', amount_kobo: 10, breakdown_kobo: { fee: 10 }, vat_percent: 0 };
    const open = GrowingMap.of([['l1', charged]]);
    const refund = { ...commandBase, kind: 'refund' as const, lookup_ids: ['l1'], reason: 'failed' };
    for (const [balance_kobo, refunds] of [
      [Number.MAX_SAFE_INTEGER - 10, 1],
      [Number.MAX_SAFE_INTEGER - 9, 0],
    ] as const) {
      const decide = () => walletDecider.decide(refund, { ...walletDecider.initialState, balance_kobo, open });
      if (refunds > 0) expect(decide()).toHaveLength(refunds);
      else expect(decide).toThrow(new WalletRejection('balance_limit'));
    }
  });
});

describe('any wallet history', () => {
  it('conserves money and never has a negative balance', () => {
    fc.assert(
      fc.property(walletCommands(), (commands) => {
        const { events, state } = runWallet(commands);
        let balance = 0;
        for (const { type, data } of events) {
          if (type === 'WalletCredited' || type === 'RefundIssued' || type === 'LookupCompensated') balance += data.amount_kobo;
          if (type === 'WalletDebited' || type === 'CreditReversed' || type === 'WalletPaidOut') balance -= data.amount_kobo;
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
