import fc from 'fast-check';
import { Refusal } from '../../src/event-sourcing/decider.js';
import { type WalletEvent } from '../../src/wallet/domain/events.js';
import { type WalletCommand, walletDecider, type WalletState } from '../../src/wallet/domain/wallet.js';

const circumstances = { partner_id: 'p1', at: '2026-11-21T10:00:00.000Z', actor: 'admin' };
const bill = { rupa_id: 'rp-1', source: 'loan', price_book_version: 1, key_id: 'k1' };
const id = fc.integer({ min: 0, max: 5 }).map((number) => `l${number}`);

/** Any command to the wallet of p1, as likely as not one that it refuses. */
export const walletCommand: fc.Arbitrary<WalletCommand> = fc.oneof(
  fc.record({ amount_kobo: fc.integer({ min: 1, max: 500_00 }), reference: fc.string({ unit: 'grapheme' }) }).map((credit) => ({ ...circumstances, kind: 'credit' as const, checked_to_revision: 1_000n, ...credit })),
  fc.tuple(id, fc.integer({ min: 1, max: 300_00 }), fc.boolean()).map(([lookup_id, fee, grants_consent]) => ({ ...circumstances, ...bill, kind: 'charge' as const, lookup_id, breakdown_kobo: { fee }, grants_consent })),
  fc.array(id).map((lookup_ids) => ({ ...circumstances, kind: 'settle' as const, lookup_ids })),
  fc.array(id).map((lookup_ids) => ({ ...circumstances, kind: 'refund' as const, lookup_ids, reason: 'x' })),
);

/** What the wallet makes of the commands, one after another. */
export function runWallet(commands: readonly WalletCommand[]): { events: (WalletEvent & { revision: bigint })[]; state: WalletState } {
  const events: (WalletEvent & { revision: bigint })[] = [];
  let state = walletDecider.initialState;
  for (const each of commands) {
    try {
      for (const event of walletDecider.decide(each, state)) {
        const placed = { ...event, revision: BigInt(events.length) };
        events.push(placed);
        state = walletDecider.evolve(state, placed);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return { events, state };
}
