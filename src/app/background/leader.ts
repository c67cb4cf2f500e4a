import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Logger } from 'pino';
import { connectionConfig } from '../../platform/database/pool.js';
import { FencedOff } from '../../platform/projecting/checkpoints.js';
import { SteppedDown } from '../../platform/projecting/stepped-down.js';

const RETRY_DELAY_MS = 1_000;
/** After somebody else has moved a checkpoint, which is no failure. */
const RESTART_DELAY_MS = 20;
const STEPPED_DOWN_MS = 30_000;
const STANDBY_POLL_MS = 1_000;
/** A holder that does nothing for so long although there is something to do is passed over. */
const STALLED_AFTER_MS = 5_000;

export interface LeaderTask {
  readonly name: string;
  /** One holder at a time. What makes sure that nobody writes twice is the checkpoint's fence; the lock saves the others the work. */
  readonly lock: number;
  work(this: void, signal: AbortSignal): Promise<void>;
  /** How far the work is, and how far there is to go. */
  progress(this: void): Promise<{ readonly done: bigint; readonly due: bigint }>;
}

/** Does the work whenever this instance holds the lock, and again after each failure, until `signal` is aborted. */
export async function runAsLeader(office: LeaderTask, databaseUrl: string, logger: Logger, signal: AbortSignal): Promise<void> {
  // Whatever is cut off while it stops ends with an error of its own.
  const stopping = (): boolean => signal.aborted;
  while (!stopping()) {
    try {
      await whileHeld(office, databaseUrl, signal);
    } catch (error) {
      if (stopping()) return;
      await delay(pauseAfter(error, office.name, logger), undefined, { signal }).catch(() => undefined);
    }
  }
}

function pauseAfter(error: unknown, name: string, logger: Logger): number {
  if (error instanceof FencedOff) {
    logger.info({ reason: error.message }, `the ${name} begins anew from its checkpoint`);
    return RESTART_DELAY_MS;
  }
  logger.error({ err: error }, `the ${name} stopped; it starts again from its checkpoint`);
  return error instanceof SteppedDown ? STEPPED_DOWN_MS : RETRY_DELAY_MS;
}

async function whileHeld({ lock, work, progress }: LeaderTask, databaseUrl: string, signal: AbortSignal): Promise<void> {
  const client = new pg.Client(connectionConfig(databaseUrl));
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

/** Whether nothing was done for a while although there was something to do: its holder is stopped, or hangs. */
function stallDetector(progress: LeaderTask['progress']): () => Promise<boolean> {
  let last: bigint | undefined;
  let since = Date.now();
  return async () => {
    const { done, due } = await progress();
    if (done !== last || done >= due) {
      last = done;
      since = Date.now();
    }
    return Date.now() - since >= STALLED_AFTER_MS;
  };
}

async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [lock]);
  return rows[0]?.held ?? false;
}
