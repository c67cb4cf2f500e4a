import { setTimeout as delay } from 'node:timers/promises';
import { connectionConfig, createSessionPool } from '../../database/pool.js';
import { databaseOutage, withReason } from '../../database/database-outage.js';
import { AccessRejected, type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { ADVICE, foreignLogReason } from './foreign-log.js';

/** A follower that has just become the node in use may lag behind events that are in the read models. */
const ATTEMPTS = 3;
const AGAIN_MS = 300;
const DATABASE_TIMEOUT_MS = 5_000;

/**
 * Returns a check of the log behind a new connection, which is the one that the start makes: an older backup, or the store of another
 * environment, may answer at the address after an outage. It has a database connection of its own, because those of the pool may all be held
 * by callers that wait for the event store.
 */
export function recogniseLogOf(databaseUrl: string): (log: EventStore) => Promise<void> {
  return async (log) => {
    const pool = createSessionPool({ ...connectionConfig(databaseUrl), query_timeout: DATABASE_TIMEOUT_MS }, 1, () => undefined);
    try {
      for (let attempt = 1; ; attempt += 1) {
        const reason = await foreignLogReason(pool, log);
        if (reason === undefined) return;
        if (attempt === ATTEMPTS) throw foreignLog(reason);
        await delay(AGAIN_MS);
      }
    } catch (error) {
      if (databaseOutage(error) === undefined) throw error;
      throw new StoreUnavailable(`The event store cannot be compared with the database. ${withReason(error as Error)}`, { cause: error });
    } finally {
      await pool.end();
    }
  };
}

function foreignLog(reason: string): AccessRejected {
  return new AccessRejected(
    `The event store in EVENT_STORE_URL holds another log than before, or an earlier state of it. A process that runs uses it for nothing, and goes on once the event store that belongs to its database is back. ${reason}: ${ADVICE}`,
    'log',
  );
}
