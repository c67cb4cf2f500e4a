import { type Pool } from 'pg';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { type CheckpointEvent, readCheckpoints } from './checkpoints.js';

/**
 * Checkpoints are places in one log. On another one, also on a copy of it whose positions differ, read models would silently miss or
 * repeat events, and notifications would be sent twice or never.
 * @throws Error that says what to do
 */
export async function refuseForeignLog(pool: Pool, eventStore: EventStore): Promise<void> {
  const reason = await whyForeign(pool, eventStore);
  if (reason !== undefined) throw new Error(`${reason}: ${ADVICE}`);
}

/** By which checkpoint the log is known not to be the database's own; undefined where it is. */
export async function whyForeign(pool: Pool, eventStore: EventStore): Promise<string | undefined> {
  const known = [...(await readCheckpoints(pool)).values()];
  if (known.every(({ position }) => position === null)) return undefined;
  const head = await eventStore.headPosition();
  const recognised = new Set<string>();
  for (const { projection, position, event } of known) {
    if (position === null) continue;
    if (head === undefined || BigInt(position) > head) return `${projection} is at position ${position}, beyond the log's end`;
    if (event === null || recognised.has(position)) continue;
    if ((await locate(eventStore, event))?.position !== BigInt(position)) {
      return `${projection} is at position ${position}, where this event store does not hold the event that was there (${event.stream}@${event.revision})`;
    }
    recognised.add(position);
  }
  return undefined;
}

const ADVICE = [
  'these stores do not belong together. Set EVENT_STORE_URL and DATABASE_URL to two that do;',
  'if this event store is the copy of another one, run with the service stopped: rupa events copy --from <the other one> --to <this one> --switch;',
  'if the log was restored and the database knows more, run with the service stopped: rupa events adopt.',
].join(' ');

/** By its stream: a position of another log may be none that a store can read from. */
export async function locate(eventStore: EventStore, { id, stream, revision }: CheckpointEvent): Promise<StoredEvent | undefined> {
  const [found] = await eventStore.readStream(stream, { from: BigInt(revision), maxCount: 1 });
  return found?.id === id ? found : undefined;
}
