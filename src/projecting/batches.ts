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
