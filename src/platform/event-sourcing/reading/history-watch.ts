import { setTimeout as delay } from 'node:timers/promises';
import { CAUGHT_UP } from '../event-store-client/store-client.js';
import { type EventStore, HistoryMissing } from '../event-store.js';
import { categoryOf } from '../stream-kind.js';

/** Streams whose names the search remembers. */
const SEARCHED_MAX = 100_000;

export interface FoundHistories {
  readonly missing: readonly HistoryMissing[];
  /** False if the time was over before all streams were looked at. */
  readonly isComplete: boolean;
}

/**
 * Looks at every stream of these categories that has metadata or was ended for good, once.
 * @param ms time after which the search ends
 * @param stopped ends it, too
 */
export async function findMissingHistories(
  eventStore: Pick<EventStore, 'followRetention' | 'examineHistory'>,
  categories: ReadonlySet<string>,
  ms: number,
  stopped?: AbortSignal,
): Promise<FoundHistories> {
  const timeLimit = AbortSignal.timeout(ms);
  const signal = stopped ? AbortSignal.any([timeLimit, stopped]) : timeLimit;
  const missing: HistoryMissing[] = [];
  const seen = new Set<string>();
  const subscription = await eventStore.followRetention(signal);
  try {
    for (;;) {
      if (subscription.length === 0) await subscription.waitForMore();
      for (const stream of subscription.take()) {
        if (stream === CAUGHT_UP) return { missing, isComplete: seen.size < SEARCHED_MAX };
        if (seen.has(stream) || !categories.has(categoryOf(stream))) continue;
        if (seen.size < SEARCHED_MAX) seen.add(stream);
        missing.push(...(await missingIn(eventStore, stream)));
      }
      if (signal.aborted) return { missing, isComplete: false };
    }
  } finally {
    subscription.stop();
  }
}

async function missingIn(eventStore: Pick<EventStore, 'examineHistory'>, stream: string): Promise<HistoryMissing[]> {
  try {
    await eventStore.examineHistory(stream);
    return [];
  } catch (error) {
    if (error instanceof HistoryMissing) return [error];
    throw error;
  }
}

/** Milliseconds after which the streams that may hide events are looked at again: `$maxAge` hides events without another event. */
const AGAIN_MS = 30_000;
const RESTART_MS = 5_000;
/** Streams with metadata that are looked at again at most. The service gives no stream any. */
const WATCHED_MAX = 1_000;

/**
 * Finds streams whose history is missing before somebody reads them. It follows the events that can hide others (metadata of streams, and
 * the end of a stream for good), from the log's beginning, and looks whether each such stream still begins with revision 0.
 */
export class HistoryWatch {
  private readonly stopping = new AbortController();
  private readonly watched = new Set<string>();
  private working: Promise<unknown> | undefined;

  /** @param categories those of the service; other streams do not concern it */
  constructor(
    private readonly eventStore: Pick<EventStore, 'followRetention' | 'examineHistory' | 'missingHistories'>,
    private readonly categories: ReadonlySet<string>,
  ) {}

  start(): void {
    this.working = Promise.all([this.follow(), this.lookAgain()]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.working;
  }

  private async follow(): Promise<void> {
    while (!this.isStopping()) {
      try {
        const subscription = await this.eventStore.followRetention(this.stopping.signal);
        while (!this.isStopping()) {
          if (subscription.length === 0) await subscription.waitForMore();
          for (const stream of new Set(subscription.take())) if (stream !== CAUGHT_UP) await this.look(stream);
        }
      } catch {
        // The store is away, which its own check reports.
        await this.pause(RESTART_MS);
      }
    }
  }

  private async lookAgain(): Promise<void> {
    while (!this.isStopping()) {
      await this.pause(AGAIN_MS);
      const known = this.eventStore.missingHistories.list().map(({ stream }) => stream);
      for (const stream of new Set([...this.watched, ...known.slice(0, WATCHED_MAX)])) await this.look(stream);
    }
  }

  private async look(stream: string): Promise<void> {
    if (this.isStopping() || !this.categories.has(categoryOf(stream))) return;
    if (this.watched.size < WATCHED_MAX) this.watched.add(stream);
    // The store's client remembers what is missing. Any other error concerns the store, and the stream is looked at again.
    await this.eventStore.examineHistory(stream).catch(() => undefined);
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
