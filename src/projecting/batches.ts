import { type AllStreamSubscription, type EventStore, toStored } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';

/** From one batch to the next, in ms: as long as this event may wait for others, 0 where it goes at once. The first after a pause always does. */
export type Lingering = (event: StoredEvent) => number;

const NEVER: Lingering = () => 0;

/** The log after a position, for ever, in batches of what has come meanwhile: one event when quiet, up to `max` when behind. */
export async function* subscribeInBatches(
  eventStore: EventStore,
  after: bigint | undefined,
  max: number,
  signal: AbortSignal,
  lingering: Lingering = NEVER,
): AsyncGenerator<StoredEvent[]> {
  const subscription = eventStore.subscribeToAll(after, max);
  const arrivals = new Arrivals(subscription, signal);
  let yieldedAt = -Infinity;
  let mayWaitMs = Infinity;
  let batch: StoredEvent[] = [];
  try {
    while (!signal.aborted) {
      const come = take(subscription, max - batch.length);
      batch.push(...come);
      mayWaitMs = come.reduce((least, event) => Math.min(least, lingering(event)), mayWaitMs);
      const leftMs = yieldedAt + mayWaitMs - performance.now();
      if (batch.length === 0 || (batch.length < max && leftMs > 0)) {
        await arrivals.next(batch.length === 0 ? undefined : leftMs);
        continue;
      }
      yieldedAt = performance.now();
      yield batch;
      [batch, mayWaitMs] = [[], Infinity];
    }
  } finally {
    await subscription.unsubscribe();
  }
}

/** Tells when there may be more to read; throws once the subscription has failed. */
class Arrivals {
  private wake: () => void = () => undefined;
  private failure: Error | undefined;

  constructor(subscription: AllStreamSubscription, signal: AbortSignal) {
    const fail = (error: Error): void => {
      this.failure ??= error;
      this.wake();
    };
    const wake = (): void => {
      this.wake();
    };
    subscription.on('readable', wake);
    subscription.once('error', fail);
    subscription.once('close', () => {
      fail(new Error('The subscription ended.'));
    });
    signal.addEventListener('abort', wake, { once: true });
  }

  /** At the latest after so many ms, where they are given. */
  async next(ms: number | undefined): Promise<void> {
    this.throwIfFailed();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      if (ms !== undefined) timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.throwIfFailed();
  }

  private throwIfFailed(): void {
    if (this.failure) throw this.failure;
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
