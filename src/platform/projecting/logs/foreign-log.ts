import { type Pool } from 'pg';
import { type EventStore, HistoryMissing, AccessRejected, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { type CheckpointEvent, readCheckpoints } from '../checkpoints.js';
import { setTimeout as delay } from 'node:timers/promises';
import { connectionConfig, createSessionPool } from '../../database/pool.js';
import { databaseOutage, withReason } from '../../database/database-outage.js';

/**
 * Refuses a log to which the database's checkpoints do not belong. With another log, or a copy whose positions differ, read models would
 * silently miss or repeat events, and notifications would be sent twice or never.
 * @throws Error that names the checkpoint and says what to do
 */
export async function refuseForeignLog(pool: Pool, eventStore: EventStore): Promise<void> {
  const reason = await foreignLogReason(pool, eventStore);
  if (reason !== undefined) throw new Error(`${reason}: ${ADVICE}`);
}

/** Returns why the log is not the one that the database was used with; undefined if it is. */
export async function foreignLogReason(pool: Pool, eventStore: EventStore): Promise<string | undefined> {
  const known = [...(await readCheckpoints(pool)).values()];
  if (known.every(({ position }) => position === null)) return undefined;
  const head = await eventStore.headPosition();
  const recognised = new Set<string>();
  for (const { projection, position, event } of known) {
    if (position === null) continue;
    if (head === undefined || BigInt(position) > head)
      return `The checkpoint of ${projection} is at position ${position}, beyond the log's end`;
    if (event === null || recognised.has(position)) continue;
    if ((await findEvent(eventStore, event, BigInt(position)))?.position !== BigInt(position)) {
      return `The checkpoint of ${projection} is at position ${position}, but this event store does not hold its event ${event.stream}@${event.revision} there`;
    }
    recognised.add(position);
  }
  return undefined;
}

/** Tells the operator what to do about a log to which the database does not belong. It continues a sentence. */
const ADVICE = [
  'the event store and the database do not belong together. Set EVENT_STORE_URL and DATABASE_URL to two that do.',
  'If this event store is a copy of another one, stop the service and run: rupa events copy --from <the other one> --to <this one> --switch.',
  'If the log was restored to an earlier state than the database, stop the service, check that rupa events check finds the log whole, and run: rupa events adopt.',
].join(' ');

/**
 * Finds the event by its stream and revision, because a position of another log may not be a valid one here. An event that its stream
 * hides is found by its position, because $all shows it all the same.
 * @throws HistoryMissing if the event is not there, either
 */
export async function findEvent(
  eventStore: EventStore,
  { id, stream, revision }: CheckpointEvent,
  position?: bigint,
): Promise<StoredEvent | undefined> {
  try {
    const found = await eventStore.eventIn(stream, BigInt(revision));
    return found?.id === id ? found : undefined;
  } catch (error) {
    if (!(error instanceof HistoryMissing)) throw error;
    const found = position === undefined ? undefined : await eventStore.eventAt(position).catch(() => undefined);
    if (found?.id === id) return found;
    throw error;
  }
}

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
