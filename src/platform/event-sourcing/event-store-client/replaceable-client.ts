import { type Clock } from '../../../kernel/clock.js';
import { type StoreClient } from './store-client.js';

/** A call had no answer in time, or was given up because the adapter closes. */
export class Stalled extends Error {
  override name = 'Stalled';
}

const DISPOSE_TIMEOUT_MS = 250;

/** One client at a time, with a timer on each of its calls. A client that failed is disposed of, whole, before another is made. */
export class ReplaceableClient {
  private client: StoreClient;
  private replacing: Promise<void> | undefined;
  private readonly closing = new AbortController();
  /** Of every call that is waited for: ends the wait. */
  private readonly guarded = new Set<() => void>();

  /** @param stallTimeoutMs how long a call may take */
  constructor(
    private readonly connect: () => StoreClient,
    private readonly stallTimeoutMs: number,
    private readonly clock: Clock,
  ) {
    this.client = connect();
  }

  /** The one to call now; where one is being replaced, its successor. */
  async current(): Promise<StoreClient> {
    await this.replacing;
    return this.client;
  }

  /** Aborted once it closes. */
  get signal(): AbortSignal {
    return this.closing.signal;
  }

  /** Calls that are waited for at this moment. */
  get openCalls(): number {
    return this.guarded.size;
  }

  /** @throws Stalled */
  async guard<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => {
      reject(new Stalled('closing'));
    };
    const cancel = this.clock.after(this.stallTimeoutMs, () => {
      reject(new Stalled(`no answer in ${this.stallTimeoutMs} ms`));
    });
    this.guarded.add(giveUp);
    try {
      return await Promise.race([work, stalled]);
    } finally {
      cancel();
      this.guarded.delete(giveUp);
    }
  }

  /** Whoever fails first on a client replaces it; the rest, failing on the same one, wait for the new one. */
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
    for (const giveUp of this.guarded) giveUp();
    await this.replacing;
    await this.dispose(this.client);
  }

  /** Cancels every open call. One that was broken off by a reader never reports its end, so that it is not waited for long. */
  private async dispose(client: StoreClient): Promise<void> {
    const timer = new AbortController();
    await Promise.race([client.dispose(), this.clock.delay(DISPOSE_TIMEOUT_MS, timer.signal).catch(() => undefined)]);
    timer.abort();
  }
}
