import { type EventStore } from '../../event-sourcing/event-store.js';
import { type Subscription } from '../../event-sourcing/event-store-client/subscription.js';
import { type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { type ResumeLimits, Resumes } from '../rebuilding/resumes.js';
import { type WantedPositions } from '../wanted-positions.js';

/**
 * Returns how many milliseconds may pass from the arrival of an event until its batch is processed, because it may wait for more events; 0
 * for none. An event that arrives later than that after the previous batch never waits.
 */
export type BatchingWindow = (event: StoredEvent) => number;

export interface Batching {
  readonly window: BatchingWindow;
  /** Events up to the position that somebody waits for do not wait themselves. */
  readonly wanted?: Pick<WantedPositions, 'upTo' | 'onHigher'> | undefined;
}

const AT_ONCE: Batching = { window: () => 0 };

/**
 * Yields the events after a position as they arrive, until `signal` is aborted. A batch holds what arrived while the previous one was
 * processed and in the window after it: one event when the log is quiet, up to `max` when the reader is behind. A batch is expected to
 * take as long as the one before, so events wait for that much less.
 */
export async function* subscribeInBatches(
  eventStore: EventStore,
  after: bigint | undefined,
  max: number,
  signal: AbortSignal,
  { window, wanted }: Batching = AT_ONCE,
): AsyncGenerator<StoredEvent[]> {
  const subscription = await eventStore.subscribe(after, max, signal);
  const ignoreWanted = wanted?.onHigher(subscription.stopWaiting);
  let yieldedAt = -Infinity;
  let tookMs = 0;
  let mayWaitMs = Infinity;
  let batch: StoredEvent[] = [];
  try {
    while (!signal.aborted) {
      const arrived = subscription.take(max - batch.length);
      batch.push(...arrived);
      mayWaitMs = arrived.reduce((shortest, event) => Math.min(shortest, window(event)), mayWaitMs);
      const [oldest] = batch;
      const leftMs = yieldedAt + mayWaitMs - tookMs - performance.now();
      const isWanted = oldest !== undefined && wanted !== undefined && oldest.position <= wanted.upTo;
      if (batch.length === 0 || (batch.length < max && leftMs > 0 && !isWanted)) {
        await subscription.waitForMore(batch.length === 0 ? undefined : leftMs);
        continue;
      }
      yieldedAt = performance.now();
      yield batch;
      tookMs = performance.now() - yieldedAt;
      [batch, mayWaitMs] = [[], Infinity];
    }
  } finally {
    ignoreWanted?.();
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
