import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { given } from '../../../../test/support/unit/given.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { Rejection } from '../../../platform/event-sourcing/decider.js';
import { entryPostings } from './entry-postings.js';
import { type LedgerEntryPosted } from './events.js';
import { ledgerDecider, newEntry, type LedgerState, type PostEntry } from './ledger.js';

const at = '2026-03-10T10:00:00.000Z';
const asked = {
  mode: 'live',
  account: null,
  of: null,
  date: null,
  reason: 'SMS alerts',
  wallets_kobo: 0n,
  at,
  actor: 'admin:amina',
} as const;
const charge: PostEntry = { ...asked, kind: 'bank_charge', amount_kobo: 52_50, reference: 'c1' };
/** The provider is owed NGN 100 by the wallets. */
const settle: PostEntry = {
  ...asked,
  kind: 'passthrough_settlement',
  account: 'bvn',
  amount_kobo: 60_00,
  reference: 's1',
  wallets_kobo: -100_00n,
};
const reverse: PostEntry = { ...asked, kind: 'reversal', amount_kobo: null, of: 's1', reference: 'r1' };

function posted(command: PostEntry, more: Partial<LedgerEntryPosted['data']> = {}): LedgerEntryPosted {
  const { mode, kind, amount_kobo, account, reference, date, reason, actor } = command;
  const entry = { mode, kind, amount_kobo: amount_kobo ?? 0, ...(account !== null && { account }), reference };
  return { type: 'LedgerEntryPosted', data: { ...entry, date: date ?? '2026-03-10', reason, recorded_at: at, actor, ...more } };
}

const reversed = posted(reverse, { amount_kobo: 60_00, account: 'bvn', of: 's1', of_kind: 'passthrough_settlement' });

describe('a ledger entry', () => {
  it('is posted on the day on which it is recorded, or on an earlier one', () => {
    given(ledgerDecider, [])
      .when(charge)
      .then([posted(charge)]);
    const earlier = { ...charge, date: '2026-02-28' };
    given(ledgerDecider, [])
      .when(earlier)
      .then([posted(earlier)]);
  });

  it('is not posted on a later day', () => {
    const { state } = given(ledgerDecider, []);
    const later = (): unknown => ledgerDecider.decide({ ...charge, date: '2026-03-11' }, state);
    expect(later).toThrow(ValidationFailed);
    expect(ledgerDecider.decide({ ...charge, date: '2026-03-10' }, state)).toHaveLength(1);
  });

  it('is posted once per reference', () => {
    const given1 = given(ledgerDecider, [posted(charge)]);
    given1.when(charge).thenNothing();
    given1.when({ ...charge, date: '2026-03-10' }).thenNothing();
    for (const other of [{ amount_kobo: 1 }, { kind: 'bank_interest' as const }, { reason: 'another' }, { date: '2026-03-09' }])
      given1.when({ ...charge, ...other }).thenRejected('entry_reference_reused', { reference: 'c1' });
  });

  it('without a date is the same on the next day, too, but not one that was posted on another day', () => {
    const tomorrow = { ...charge, at: '2026-03-11T10:00:00.000Z' };
    given(ledgerDecider, [posted(charge)])
      .when(tomorrow)
      .thenNothing();
    given(ledgerDecider, [posted({ ...charge, date: '2026-03-01' })])
      .when(tomorrow)
      .thenRejected('entry_reference_reused');
  });
});

describe('a settlement', () => {
  it('is of at most what the wallets owe the provider, less earlier settlements', () => {
    given(ledgerDecider, [])
      .when(settle)
      .then([posted(settle)]);
    const after = given(ledgerDecider, [posted(settle)]);
    after.when({ ...settle, reference: 's2', amount_kobo: 40_01 }).thenRejected('owed_less_than_amount', { available_kobo: 40_00n });
    after.when({ ...settle, reference: 's2', amount_kobo: 40_00 }).then([posted({ ...settle, reference: 's2', amount_kobo: 40_00 })]);
    after
      .when({ ...settle, reference: 's2', account: 'nin', wallets_kobo: 0n })
      .thenRejected('owed_less_than_amount', { available_kobo: 0n });
  });

  it('has nothing to settle once refunds have taken back what was settled', () => {
    given(ledgerDecider, [posted(settle)])
      .when({ ...settle, reference: 's2', amount_kobo: 1, wallets_kobo: -20_00n })
      .thenRejected('owed_less_than_amount', { available_kobo: 0n });
  });

  it('may also be of what the books began with', () => {
    const opening: PostEntry = {
      ...asked,
      kind: 'opening_balance',
      account: 'passthrough_payable.bvn',
      amount_kobo: 5_00,
      reference: 'o1',
    };
    given(ledgerDecider, [posted(opening)])
      .when({ ...settle, amount_kobo: 105_01 })
      .thenRejected('owed_less_than_amount', { available_kobo: 105_00n });
  });
});

describe('a remittance of VAT and a tax certificate', () => {
  it('are of at most what their accounts hold', () => {
    const vat: PostEntry = { ...asked, kind: 'vat_remittance', amount_kobo: 8, reference: 'v1', wallets_kobo: -7n };
    given(ledgerDecider, []).when(vat).thenRejected('owed_less_than_amount', { available_kobo: 7n });
    const certificate: PostEntry = { ...asked, kind: 'wht_certificate', amount_kobo: 8, reference: 'w1', wallets_kobo: 7n };
    given(ledgerDecider, []).when(certificate).thenRejected('owed_less_than_amount', { available_kobo: 7n });
  });
});

describe('a reversal', () => {
  it('undoes a whole entry, and says in the event what that was', () => {
    given(ledgerDecider, [posted(settle)])
      .when(reverse)
      .then([reversed]);
    given(ledgerDecider, [posted(settle)])
      .when({ ...reverse, amount_kobo: 60_00 })
      .then([reversed]);
    given(ledgerDecider, [posted(settle)])
      .when({ ...reverse, amount_kobo: 59_99 })
      .thenRejected('entry_not_reversible', { reversible_kobo: 60_00 });
  });

  it('undoes an entry once, and none that is a reversal or that is not there', () => {
    const after = given(ledgerDecider, [posted(settle), reversed]);
    after.when(reverse).thenNothing();
    after.when({ ...reverse, reference: 'r2' }).thenRejected('entry_not_reversible', { reversible_kobo: 0 });
    after.when({ ...reverse, reference: 'r2', of: 'r1' }).thenRejected('entry_not_reversible', { reversible_kobo: 0 });
    after.when({ ...reverse, reference: 'r2', of: 'none' }).thenRejected('entry_not_reversible', { reversible_kobo: 0 });
  });

  it('lets what a settlement took be settled again', () => {
    given(ledgerDecider, [posted(settle), reversed])
      .when({ ...settle, reference: 's2', amount_kobo: 100_00 })
      .then([posted({ ...settle, reference: 's2', amount_kobo: 100_00 })]);
  });
});

describe('a ledger of many entries', () => {
  const references = Array.from({ length: 300 }, (_, n) => `n${n}`);
  const after = given(
    ledgerDecider,
    references.map((reference) => posted({ ...charge, reference })),
  );

  it('knows each of them, and undoes each once', () => {
    for (const reference of references) {
      after.when({ ...charge, reference }).thenNothing();
      after.when({ ...charge, reference, amount_kobo: 1 }).thenRejected('entry_reference_reused');
      const undo = { ...reverse, of: reference, reference: `undo-${reference}` };
      const [event] = ledgerDecider.decide(undo, after.state) as readonly [LedgerEntryPosted];
      const undone = ledgerDecider.evolve(after.state, { ...event, revision: 300n });
      expect(() => ledgerDecider.decide({ ...undo, reference: 'again' }, undone)).toThrow(Rejection);
      expect(ledgerDecider.decide({ ...charge, reference }, undone)).toStrictEqual([]);
    }
  });
});

const references = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const OWED_KOBO = 40;
const commands: fc.Arbitrary<PostEntry> = fc
  .record({
    mode: fc.constant('live' as const),
    kind: fc.constantFrom('passthrough_settlement', 'vat_remittance', 'wht_certificate', 'bank_interest', 'reversal'),
    amount_kobo: fc.integer({ min: 1, max: 25 }),
    reference: references,
    of: fc.option(references),
    account: fc.constant(null),
    date: fc.constant(null),
    reason: fc.constant('any'),
    wallets_kobo: fc.constant(0n),
    at: fc.constant(at),
    actor: fc.constant('admin'),
  })
  .map((command) => ({
    ...command,
    amount_kobo: command.kind === 'reversal' ? null : command.amount_kobo,
    of: command.kind === 'reversal' ? command.of : null,
    account: command.kind === 'passthrough_settlement' ? 'bvn' : null,
    wallets_kobo: BigInt(command.kind === 'wht_certificate' ? OWED_KOBO : -OWED_KOBO),
  }));

describe('any entries', () => {
  it('balance, are each posted once, and never take more than an account holds', () => {
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 30 }), (asks) => {
        let state: LedgerState = ledgerDecider.initialState;
        const events: LedgerEntryPosted[] = [];
        for (const ask of asks) {
          const [event] = eventsOf(ask, state);
          if (!event) continue;
          state = ledgerDecider.evolve(state, { ...event, revision: BigInt(events.length) });
          events.push(event);
          expect(ledgerDecider.decide(ask, state)).toStrictEqual([]);
        }
        const lines = events.flatMap(({ data }) => entryPostings(data));
        const net = (accounts: readonly string[]): number =>
          lines.reduce(
            (sum, { account, debit_kobo, credit_kobo }) => (accounts.includes(account) ? sum + debit_kobo - credit_kobo : sum),
            0,
          );
        expect(net(lines.map(({ account }) => account))).toBe(0);
        expect(net(['passthrough_payable.bvn'])).toBeLessThanOrEqual(OWED_KOBO);
        expect(net(['vat_payable'])).toBeLessThanOrEqual(OWED_KOBO);
        expect(net(['wht_receivable'])).toBeGreaterThanOrEqual(-OWED_KOBO);
        expect(new Set(events.map(({ data }) => data.reference)).size).toBe(events.length);
      }),
    );
  });
});

function eventsOf(command: PostEntry, state: LedgerState): readonly LedgerEntryPosted[] {
  try {
    const posted = newEntry(command, state);
    return posted ? [posted] : [];
  } catch (error) {
    if (error instanceof Rejection) return [];
    throw error;
  }
}
