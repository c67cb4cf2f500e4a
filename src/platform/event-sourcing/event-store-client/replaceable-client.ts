import { type Clock } from '../../../kernel/clock.js';
import { type StoreClient } from './store-client.js';

/** A call got no response in time, or was abandoned because the adapter is closing. */
export class Stalled extends Error {
  override name = 'Stalled';
}

const DISPOSE_TIMEOUT_MS = 250;

/** Holds one client at a time and limits the duration of its calls. A failed client is disposed of before its replacement is created. */
export class ReplaceableClient {
  private client: StoreClient;
  private replacing: Promise<void> | undefined;
  private readonly closing = new AbortController();
  /** For each call in flight, the function that makes it fail with Stalled. */
  private readonly inFlight = new Set<() => void>();

  /** @param stallTimeoutMs milliseconds after which a call counts as stalled */
  constructor(
    private readonly connect: () => StoreClient,
    private readonly stallTimeoutMs: number,
    private readonly clock: Clock,
  ) {
    this.client = connect();
  }

  /** Returns the current client, after waiting for a replacement in progress. */
  async current(): Promise<StoreClient> {
    await this.replacing;
    return this.client;
  }

  /** Signal that is aborted when this object is closed. */
  get signal(): AbortSignal {
    return this.closing.signal;
  }

  /** Number of calls in flight. */
  get openCalls(): number {
    return this.inFlight.size;
  }

  /** Waits for the call. @throws Stalled if it takes too long or this object is closed, and the call's own error */
  async withTimeout<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => {
      reject(new Stalled('the adapter is closing'));
    };
    const cancel = this.clock.after(this.stallTimeoutMs, () => {
      reject(new Stalled(`no response in ${this.stallTimeoutMs} ms`));
    });
    this.inFlight.add(giveUp);
    try {
      return await Promise.race([work, stalled]);
    } finally {
      cancel();
      this.inFlight.delete(giveUp);
    }
  }

  /** Replaces the failed client. Further callers that report the same client wait for that replacement. */
  async replace(failed: StoreClient): Promise<void> {
    if (failed !== this.client || this.closing.signal.aborted) return await this.replacing;
    this.replacing ??= (async () => {
      await this.dispose(failed);
      this.client = this.connect();
      this.replacing = undefined;
    })();
    await this.replacing;
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const giveUp of this.inFlight) giveUp();
    await this.replacing;
    await this.dispose(this.client);
  }

  /**
   * Disposes of the client, which cancels its calls. The wait is limited, because a call that its reader cancelled never reports its end.
   */
  private async dispose(client: StoreClient): Promise<void> {
    const timer = new AbortController();
    await Promise.race([client.dispose(), this.clock.delay(DISPOSE_TIMEOUT_MS, timer.signal).catch(() => undefined)]);
    timer.abort();
  }
}
