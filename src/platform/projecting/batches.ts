import { type EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';

/** From one batch to the next, in ms: as long as this event may wait for others, 0 where it goes at once. The first after a pause always does. */
export type BatchingWindow = (event: StoredEvent) => number;

const NEVER: BatchingWindow = () => 0;

/** The log after a position, for ever, in batches of what has come meanwhile: one event when quiet, up to `max` when behind. */
export async function* subscribeInBatches(
  eventStore: EventStore,
  after: bigint | undefined,
  max: number,
  signal: AbortSignal,
  batchingWindow: BatchingWindow = NEVER,
): AsyncGenerator<StoredEvent[]> {
  const following = await eventStore.follow(after, max, signal);
  let yieldedAt = -Infinity;
  let mayWaitMs = Infinity;
  let batch: StoredEvent[] = [];
  try {
    while (!signal.aborted) {
      const come = following.take(max - batch.length);
      batch.push(...come);
      mayWaitMs = come.reduce((least, event) => Math.min(least, batchingWindow(event)), mayWaitMs);
      const leftMs = yieldedAt + mayWaitMs - performance.now();
      if (batch.length === 0 || (batch.length < max && leftMs > 0)) {
        await following.more(batch.length === 0 ? undefined : leftMs);
        continue;
      }
      yieldedAt = performance.now();
      yield batch;
      [batch, mayWaitMs] = [[], Infinity];
    }
  } finally {
    following.stop();
  }
}

/**
 * The log after a position, up to the first event at or behind `until`, in batches of `size` to twice as many, but for the last one.
 * Ends early only when `signal` is aborted.
 */
export async function* replayInBatches(
  eventStore: EventStore,
  after: bigint | undefined,
  until: bigint,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent[]> {
  const following = await eventStore.follow(after, size, signal);
  const isWhole = (): boolean => (following.newest?.position ?? -1n) >= until;
  try {
    for (let isLast = false; !isLast;) {
      while (following.length < size && !isWhole() && !signal.aborted) await following.more();
      if (signal.aborted) return;
      isLast = isWhole();
      yield following.take();
    }
  } finally {
    following.stop();
  }
}
