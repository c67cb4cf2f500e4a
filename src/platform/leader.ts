import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Logger } from 'pino';
import { connectionConfig } from './database/pool.js';
import { SessionClient } from './database/session-client.js';
import { FencedOff, readCheckpoints, lowest, positionOf, START } from './projecting/checkpoints.js';
import { SteppedDown } from './projecting/applying/stepped-down.js';
import { Outages, storeOutage } from './store-outages.js';
import { type Pool } from 'pg';
import { type EventStore } from './event-sourcing/event-store.js';

const RETRY_DELAY_MS = 1_000;
/** Applies after another instance has moved a checkpoint. That is no failure, so the task restarts almost at once. */
const RESTART_DELAY_MS = 20;
const STANDBY_POLL_MS = 1_000;
/** A standby takes over from a leader that makes no progress for this long although work is due. */
const STALLED_AFTER_MS = 5_000;

/** Work that one instance, the leader, does for all instances. */
export interface LeaderTask {
  readonly name: string;
  /**
   * Number of the PostgreSQL advisory lock that the leader holds. It saves the standbys the work; the fence of each checkpoint prevents
   * double writes.
   */
  readonly lock: number;
  work(this: void, signal: AbortSignal): Promise<void>;
  /** Returns the position that the work has reached and the position that it has to reach. */
  progress(this: void): Promise<{ readonly done: bigint; readonly due: bigint }>;
  /** Throws SteppedDown while a newer version of the service does this work. The lock then stays free for that version. */
  assertMayLead?(this: void): Promise<void>;
}

/** Runs the task whenever this instance is the leader, and again after each failure, until `signal` is aborted. */
export async function runAsLeader(task: LeaderTask, databaseUrl: string, logger: Logger, signal: AbortSignal): Promise<void> {
  const stopping = (): boolean => signal.aborted;
  const outages = new Outages();
  let steppedDown: string | undefined;
  while (!stopping()) {
    try {
      await task.assertMayLead?.();
      steppedDown = undefined;
      await leadOnce(task, databaseUrl, signal);
    } catch (error) {
      // Calls that the stop interrupts throw errors, which are expected and not logged.
      if (stopping()) return;
      const isSame = error instanceof SteppedDown && error.message === steppedDown;
      if (error instanceof SteppedDown) steppedDown = error.message;
      await delay(isSame ? RETRY_DELAY_MS : pauseAfter(error, task.name, logger, outages), undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Logs why the work ended, and returns after how many milliseconds it restarts. */
function pauseAfter(error: unknown, name: string, logger: Logger, outages: Outages): number {
  if (error instanceof FencedOff) {
    logger.info({ reason: error.message }, `the ${name} restarts from its checkpoint, because another instance has moved it`);
    return RESTART_DELAY_MS;
  }
  const outage = storeOutage(error);
  if (outage !== undefined) {
    if (outages.isNew(error))
      logger.warn({ reason: outage, err: error }, `the ${name} stopped; it restarts every second until the stores answer`);
  } else if (error instanceof SteppedDown)
    logger.error({ reason: error.message }, `the ${name} stepped down for a newer version of the service`);
  else logger.error({ err: error }, `the ${name} stopped; it restarts from its checkpoint`);
  return RETRY_DELAY_MS;
}

/** Waits for leadership, then runs the task until it ends, `signal` is aborted or the connection that holds the lock breaks. */
async function leadOnce({ lock, work, progress }: LeaderTask, databaseUrl: string, signal: AbortSignal): Promise<void> {
  const client = new SessionClient(connectionConfig(databaseUrl, { statements: 'background' }));
  const lost = new AbortController();
  client.on('error', () => {
    lost.abort();
  });
  await client.connect();
  try {
    const stalled = stallDetector(progress);
    while (!(await tryLock(client, lock)) && !(await stalled())) await delay(STANDBY_POLL_MS, undefined, { signal });
    await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Returns a check that is true once the leader has made no progress for a while although work was due: its process is suspended or hangs.
 */
function stallDetector(progress: LeaderTask['progress']): () => Promise<boolean> {
  let last: bigint | undefined;
  let since = performance.now();
  return async () => {
    const { done, due } = await progress();
    if (done !== last || done >= due) {
      last = done;
      since = performance.now();
    }
    return performance.now() - since >= STALLED_AFTER_MS;
  };
}

async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [lock]);
  return rows[0]?.held ?? false;
}

/**
 * Compares the furthest-behind checkpoint of `names` with the end of the log. Faulted checkpoints do not count, because they do not move.
 */
export function progressOf(
  { pool, eventStore }: { readonly pool: Pool; readonly eventStore: EventStore },
  names: readonly string[],
): LeaderTask['progress'] {
  return async () => {
    const [known, due] = [await readCheckpoints(pool), await eventStore.headPosition()];
    const positions = names.flatMap((name) => {
      const checkpoint = known.get(name);
      return checkpoint?.fault === null ? [positionOf(checkpoint)] : [];
    });
    return { done: lowest(positions, due), due: due ?? START };
  };
}
