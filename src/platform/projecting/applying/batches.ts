import { type EventStore } from '../../event-sourcing/event-store.js';
import { type Subscription } from '../../event-sourcing/event-store-client/subscription.js';
import { type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { type ResumeLimits, Resumes } from '../rebuilding/resumes.js';

/**
 * Returns how many milliseconds after the previous batch the event may wait for more events, 0 for none. An event that arrives later
 * than that after the previous batch never waits.
 */
export type BatchingWindow = (event: StoredEvent) => number;

const NO_WINDOW: BatchingWindow = () => 0;

/**
 * Yields the events after a position as they arrive, until `signal` is aborted. A batch holds what arrived while the previous one was
 * processed: one event when the log is quiet, up to `max` when the reader is behind.
 */
export async function* subscribeInBatches(
  eventStore: EventStore,
  after: bigint | undefined,
  max: number,
  signal: AbortSignal,
  batchingWindow: BatchingWindow = NO_WINDOW,
): AsyncGenerator<StoredEvent[]> {
  const subscription = await eventStore.subscribe(after, max, signal);
  let yieldedAt = -Infinity;
  let mayWaitMs = Infinity;
  let batch: StoredEvent[] = [];
  try {
    while (!signal.aborted) {
      const arrived = subscription.take(max - batch.length);
      batch.push(...arrived);
      mayWaitMs = arrived.reduce((shortest, event) => Math.min(shortest, batchingWindow(event)), mayWaitMs);
      const leftMs = yieldedAt + mayWaitMs - performance.now();
      if (batch.length === 0 || (batch.length < max && leftMs > 0)) {
        await subscription.waitForMore(batch.length === 0 ? undefined : leftMs);
        continue;
      }
      yieldedAt = performance.now();
      yield batch;
      [batch, mayWaitMs] = [[], Infinity];
    }
  } finally {
    subscription.stop();
  }
}

type LogItem = Pick<StoredEvent, 'position'>;

/** The event store, with the form in which its events are wanted. */
export interface Subscribable<Item> {
  subscribe(after: bigint | undefined, size: number, signal: AbortSignal): Promise<Subscription<Item>>;
}

/**
 * Yields the events after a position up to the first one at or after `until`. Batches hold `size` to `2 * size` events, the last one
 * maybe fewer. Resumes after the last batch when the connection to the event store breaks. Ends early only when `signal` is aborted.
 * @throws StoreUnavailable if the event store does not come back within some ten seconds
 */
export async function* replayInBatches<Item extends LogItem = StoredEvent>(
  eventStore: Subscribable<Item>,
  after: bigint | undefined,
  until: bigint,
  size: number,
  signal: AbortSignal,
  limits?: ResumeLimits,
): AsyncGenerator<Item[]> {
  let position = after;
  for (const resumes = new Resumes(signal, limits); ;) {
    try {
      for await (const batch of replayOnce(eventStore, position, until, size, signal)) {
        yield batch;
        position = batch.at(-1)?.position ?? position;
        resumes.progressed();
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      await resumes.after(error);
    }
  }
}

async function* replayOnce<Item extends LogItem>(
  eventStore: Subscribable<Item>,
  after: bigint | undefined,
  until: bigint,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<Item[]> {
  const subscription = await eventStore.subscribe(after, size, signal);
  const hasReachedEnd = (): boolean => (subscription.newest?.position ?? -1n) >= until;
  try {
    for (let isLast = false; !isLast;) {
      while (subscription.length < size && !hasReachedEnd() && !signal.aborted) await subscription.waitForMore();
      if (signal.aborted) return;
      isLast = hasReachedEnd();
      yield subscription.take();
    }
  } finally {
    subscription.stop();
  }
}
