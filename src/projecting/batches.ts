import { type AllStreamSubscription, type EventStore, toStored } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { once } from 'node:events';

/** The log after a position, for ever, in batches of what has come meanwhile: one event when quiet, up to `max` when behind. */
export async function* subscribeInBatches(
  eventStore: EventStore,
  after: bigint | undefined,
  max: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent[]> {
  const subscription = eventStore.subscribeToAll(after, max);
  const failed = new Promise<never>((_, reject) => {
    subscription.once('error', reject);
    subscription.once('close', () => {
      reject(new Error('The subscription ended.'));
    });
  });
  failed.catch(() => undefined);
  try {
    while (!signal.aborted) {
      const batch = take(subscription, max);
      if (batch.length > 0) yield batch;
      else await Promise.race([once(subscription, 'readable', { signal }).catch(ignoreAbort), failed]);
    }
  } finally {
    await subscription.unsubscribe();
  }
}

/** The log after a position up to the first event at or behind `until`, in batches of at least `size` but for the last: for those in a hurry. */
export async function* replayInBatches(eventStore: EventStore, after: bigint | undefined, until: bigint, size: number, signal: AbortSignal): AsyncGenerator<StoredEvent[]> {
  let gathered: StoredEvent[] = [];
  for await (const batch of subscribeInBatches(eventStore, after, size, signal)) {
    gathered.push(...batch);
    const isLast = (gathered.at(-1)?.position ?? until) >= until;
    if (gathered.length < size && !isLast) continue;
    yield gathered;
    if (isLast) return;
    gathered = [];
  }
}

function take(subscription: AllStreamSubscription, max: number): StoredEvent[] {
  const batch: StoredEvent[] = [];
  while (batch.length < max) {
    const resolved = subscription.read() as { event?: Parameters<typeof toStored>[0] } | null;
    if (resolved === null) break;
    if (resolved.event) batch.push(toStored(resolved.event));
  }
  return batch;
}

function ignoreAbort(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error;
}
