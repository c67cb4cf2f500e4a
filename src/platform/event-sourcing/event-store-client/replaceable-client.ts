import { type Clock } from '../../../kernel/clock.js';
import { type StoreClient } from './store-client.js';
import { AccessRejected, AppendRefused, CommitTimeout, NodeNotServing, PermanentStoreError } from './store-errors.js';

/** Reports an outage of the event store once when it begins and once when it is over, however many calls fail meanwhile. */
export class Outage {
  private startedMs: number | undefined;
  private resentAppends = 0;
  private unknownAppends = 0;

  constructor(
    private readonly clock: Clock,
    private readonly report: (message: string) => void,
  ) {}

  /** Records a failed call. */
  began(error: unknown): void {
    if (this.startedMs !== undefined) return;
    this.startedMs = this.clock.elapsedMs();
    this.resentAppends = 0;
    this.report(`the event store does not serve this process (${describe(error)}); appends are sent again until it does`);
  }

  /** Records that an append has an unknown outcome. Returns a function to call when its outcome is known. */
  appendUnknown(): () => void {
    this.resentAppends += 1;
    this.unknownAppends += 1;
    return () => {
      this.unknownAppends -= 1;
    };
  }

  /** Records a response. The outage is over when no append has an unknown outcome. */
  responded(): void {
    if (this.startedMs === undefined || this.unknownAppends > 0) return;
    const seconds = ((this.clock.elapsedMs() - this.startedMs) / 1_000).toFixed(1);
    this.startedMs = undefined;
    this.report(`the event store is back after ${seconds} s; ${this.resentAppends} appends were sent again`);
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** A call got no response in time, or was abandoned because the adapter is closing. */
class Stalled extends Error {
  override name = 'Stalled';
}

const DISPOSE_TIMEOUT_MS = 250;
/** Milliseconds without calls after the store has rejected the service; they double with each further rejection. */
const REJECTED_PAUSE_MS = { first: 1_000, max: 5_000 };

/** Checks a connection before its first call. @throws AccessRejected if the store there is not to be used, StoreUnavailable if it cannot tell */
export type Admit = (client: StoreClient) => Promise<void>;

export interface Patience {
  readonly ms?: number;
  readonly isFatal?: boolean;
}

/** Holds one client at a time and limits the duration of its calls. A failed client is disposed of before its replacement is created. */
export class ReplaceableClient {
  private client: StoreClient;
  private replacing: Promise<void> | undefined;
  private readonly closing = new AbortController();
  /** For each call in flight, the function that makes it fail with Stalled. */
  private readonly inFlight = new Set<() => void>();
  private rejection: { readonly error: AccessRejected; readonly pauseMs: number; readonly untilMs: number } | undefined;
  /** The check of the current connection, which its first callers share. */
  private admission: { readonly client: StoreClient; readonly checked: Promise<void> } | undefined;

  /** @param stallTimeoutMs milliseconds after which a call counts as stalled @param admit checks each new connection */
  constructor(
    private readonly connect: () => StoreClient,
    private readonly stallTimeoutMs: number,
    private readonly clock: Clock,
    private readonly outage: Outage,
    private readonly admit?: Admit,
  ) {
    this.client = connect();
  }

  /** Signal that is aborted when this object is closed. */
  get signal(): AbortSignal {
    return this.closing.signal;
  }

  /** Number of calls in flight. */
  get openCalls(): number {
    return this.inFlight.size;
  }

  /**
   * Makes a call, whose time counts from when it is sent.
   * @param patience how long to wait for the response, and whether its absence shows that the connection is dead
   * @throws Stalled if the call takes too long or this object is closed, AccessRejected also while the store is not asked again, and the
   *   call's own error
   */
  async call<T>(work: (client: StoreClient) => Promise<T>, { ms = this.stallTimeoutMs, isFatal = true }: Patience = {}): Promise<T> {
    const client = await this.current();
    try {
      const result = await this.withTimeout(work(client), ms);
      this.rejection = undefined;
      this.outage.responded();
      return result;
    } catch (error) {
      if (isFatal || !(error instanceof Stalled)) await this.failed(client, error);
      throw error;
    }
  }

  /**
   * Makes a call that changes nothing. If its connection breaks, it is made once more, on the next one: while a cluster elects a leader, the
   * old connection's end says nothing of the store, and the next one waits for the new leader.
   * @throws as call does
   */
  async ask<T>(work: (client: StoreClient) => Promise<T>): Promise<T> {
    try {
      return await this.call(work);
    } catch (error) {
      const isAnswer = [PermanentStoreError, AccessRejected, AppendRefused, Stalled].some((kind) => error instanceof kind);
      if (isAnswer || this.closing.signal.aborted) throw error;
      return await this.call(work);
    }
  }

  /**
   * Returns the current client, after waiting for a replacement in progress and for the check of its connection.
   * @throws AccessRejected while the store is not asked again, and what the check throws
   */
  async current(): Promise<StoreClient> {
    await this.replacing;
    if (this.rejection && this.clock.elapsedMs() < this.rejection.untilMs) throw this.rejection.error;
    if (this.client.isLost) await this.replace(this.client);
    const { client } = this;
    if (this.admit) await this.admitted(client, this.admit);
    return client;
  }

  /** Draws the conclusions from a failed call: the next one may get a new client, or may have to wait. */
  async failed(client: StoreClient, error: unknown): Promise<void> {
    if (error instanceof PermanentStoreError || error instanceof AppendRefused || this.closing.signal.aborted) return;
    this.outage.began(error);
    if (error instanceof AccessRejected) this.pause(error);
    if (error instanceof CommitTimeout || (error instanceof AccessRejected && !error.everyCall)) return;
    if (error instanceof NodeNotServing) {
      if (!client.hasOtherNodes) return;
      if (error.leader !== undefined) client.leaderIs(error.leader);
    }
    await this.replace(client);
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const giveUp of this.inFlight) giveUp();
    await this.replacing;
    await this.dispose(this.client);
  }

  private async withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const giveUp = (): void => {
      reject(new Stalled('the adapter is closing'));
    };
    const cancel = this.clock.after(ms, () => {
      reject(new Stalled(`no response in ${ms} ms`));
    });
    this.inFlight.add(giveUp);
    work.then(resolve, reject);
    try {
      return await promise;
    } finally {
      cancel();
      this.inFlight.delete(giveUp);
    }
  }

  private async admitted(client: StoreClient, admit: Admit): Promise<void> {
    if (this.admission?.client !== client) this.admission = { client, checked: admit(client) };
    const { admission } = this;
    try {
      await admission.checked;
    } catch (error) {
      // The next call checks again.
      if (this.admission === admission) this.admission = undefined;
      await this.failed(client, error);
      throw error;
    }
  }

  /** Makes calls fail at once for some time if the store would reject them all. */
  private pause(error: AccessRejected): void {
    const now = this.clock.elapsedMs();
    if (!error.everyCall || (this.rejection && now < this.rejection.untilMs)) return;
    const pauseMs = Math.min((this.rejection?.pauseMs ?? REJECTED_PAUSE_MS.first / 2) * 2, REJECTED_PAUSE_MS.max);
    this.rejection = { error, pauseMs, untilMs: now + pauseMs };
  }

  /** Replaces the failed client. Further callers that report the same client wait for that replacement. */
  private async replace(failed: StoreClient): Promise<void> {
    if (failed !== this.client || this.closing.signal.aborted) return await this.replacing;
    this.replacing ??= (async () => {
      await this.dispose(failed);
      this.client = this.connect();
      this.replacing = undefined;
    })();
    await this.replacing;
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
