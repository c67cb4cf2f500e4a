import { type WalletEntryRow, walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { asRecorded, type Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { type WalletEvent } from '../domain/events.js';

export interface ReplayedEntry {
  readonly event: RecordedEvent<WalletEvent>;
  /** The row that the read model would hold, derived from the event. */
  readonly row: WalletEntryRow;
}

/** Thrown when an entry's `balance_after_kobo` differs from the sum of the entries up to it. */
class BalanceMismatch extends Error {
  override name = 'BalanceMismatch';
}

/**
 * Reads a wallet from its first entry, page by page, up to a time (ISO 8601, UTC, inclusive).
 * @throws BalanceMismatch, or EventSetAside at an event that cannot be used
 */
export async function* replayWallet(eventStore: EventStore, codec: Codec, stream: string, at?: string): AsyncGenerator<ReplayedEntry[]> {
  const genuine = new GenuineEvents(eventStore, codec);
  let sum = 0;
  for await (const page of eventStore.streamPages(stream)) {
    const replayed: ReplayedEntry[] = [];
    for (const event of (await genuine.decode(page)).map((each) => asRecorded<WalletEvent>(each))) {
      if (at !== undefined && event.data.recorded_at > at) {
        yield replayed;
        return;
      }
      const row = entryRow(event);
      sum += row.amount_kobo;
      if (sum !== row.balance_after_kobo)
        throw new BalanceMismatch(
          `The entry at revision ${row.revision} has the balance ${row.balance_after_kobo} kobo, but the entries up to it sum to ${sum}. Run rupa wallet verify.`,
        );
      replayed.push({ event, row });
    }
    yield replayed;
  }
}

/** Returns the row that the read model would hold for an entry. */
export function entryRow(event: RecordedEvent<WalletEvent>): WalletEntryRow {
  const handler = walletEntryProjection.handler(event.type);
  if (!handler) throw new Error(`The read model wallet_entry has no row for ${event.type}.`);
  return handler.apply(null, event, {}, [null]) as WalletEntryRow;
}
