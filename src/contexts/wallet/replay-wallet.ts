import { type WalletEntryRow, walletEntryProjection } from '../../../projections/wallet-entry/wallet-entry.projection.js';
import { asRecorded, type Codec } from '../../platform/event-sourcing/codec.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type RecordedEvent } from '../../platform/event-sourcing/recorded-event.js';
import { type WalletEvent } from './domain/events.js';

export interface Replayed {
  readonly event: RecordedEvent<WalletEvent>;
  /** As the read model has it, but made from the log here and now. */
  readonly row: WalletEntryRow;
}

/** An entry whose own balance is not the sum of the entries up to it. */
export class BalanceDiffers extends Error {
  override name = 'BalanceDiffers';
}

/**
 * A wallet from its first entry, page by page, up to a time (ISO 8601 UTC, inclusive).
 * @throws BalanceDiffers
 */
export async function* replayWallet(eventStore: EventStore, codec: Codec, stream: string, at?: string): AsyncGenerator<Replayed[]> {
  let sum = 0;
  for await (const page of eventStore.streamPages(stream)) {
    const replayed: Replayed[] = [];
    for (const event of (await codec.decode(page)).map((each) => asRecorded<WalletEvent>(each))) {
      if (at !== undefined && event.data.recorded_at > at) {
        yield replayed;
        return;
      }
      const handler = walletEntryProjection.handler(event.type);
      if (!handler) throw new Error(`The read model wallet_entry has no row for ${event.type}.`);
      const row = handler.apply(null, event, {}) as WalletEntryRow;
      sum += row.amount_kobo;
      if (sum !== row.balance_after_kobo)
        throw new BalanceDiffers(
          `Revision ${row.revision} says that its balance is ${row.balance_after_kobo} kobo; the entries up to it sum to ${sum}. Run rupa wallet verify.`,
        );
      replayed.push({ event, row });
    }
    yield replayed;
  }
}
