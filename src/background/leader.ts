import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Logger } from 'pino';
import { connectionConfig } from '../database/pool.js';

const RETRY_DELAY_MS = 1_000;
const STANDBY_POLL_MS = 1_000;

export interface Office {
  readonly name: string;
  /** One holder at a time. What makes sure that nobody writes twice is the checkpoint's fence; the lock saves the others the work. */
  readonly lock: number;
  work(this: void, signal: AbortSignal): Promise<void>;
}

/** Does the work whenever this instance holds the lock, and again after each failure, until `signal` is aborted. */
export async function holdOffice({ name, lock, work }: Office, databaseUrl: string, logger: Logger, signal: AbortSignal): Promise<void> {
  // Whatever is cut off while it stops ends with an error of its own.
  const stopping = (): boolean => signal.aborted;
  while (!stopping()) {
    try {
      await whileLocked(databaseUrl, lock, signal, work);
    } catch (error) {
      if (stopping()) return;
      logger.error({ err: error }, `the ${name} stopped; it starts again from its checkpoint`);
      await delay(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function whileLocked(databaseUrl: string, lock: number, signal: AbortSignal, work: Office['work']): Promise<void> {
  const client = new pg.Client(connectionConfig(databaseUrl));
  const lost = new AbortController();
  client.on('error', () => {
    lost.abort();
  });
  await client.connect();
  try {
    while (!(await tryLock(client, lock))) await delay(STANDBY_POLL_MS, undefined, { signal });
    await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [lock]);
  return rows[0]?.held ?? false;
}
