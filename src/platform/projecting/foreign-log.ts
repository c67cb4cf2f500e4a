import { type Pool } from 'pg';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { type CheckpointEvent, readCheckpoints } from './checkpoints.js';

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
    if ((await findEvent(eventStore, event))?.position !== BigInt(position)) {
      return `The checkpoint of ${projection} is at position ${position}, but this event store does not hold its event ${event.stream}@${event.revision} there`;
    }
    recognised.add(position);
  }
  return undefined;
}

const ADVICE = [
  'the event store and the database do not belong together. Set EVENT_STORE_URL and DATABASE_URL to two that do.',
  'If this event store is a copy of another one, stop the service and run: rupa events copy --from <the other one> --to <this one> --switch.',
  'If the log was restored to an earlier state than the database, stop the service, check that rupa events check finds the log whole, and run: rupa events adopt.',
].join(' ');

/** Finds the event by its stream and revision, because a position of another log may not be a valid one here. */
export async function findEvent(eventStore: EventStore, { id, stream, revision }: CheckpointEvent): Promise<StoredEvent | undefined> {
  const [found] = await eventStore.readStream(stream, { from: BigInt(revision), maxCount: 1 });
  return found?.id === id ? found : undefined;
}
