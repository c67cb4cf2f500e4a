import { type Pool } from 'pg';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { type CheckpointEvent, readCheckpoints } from './checkpoints.js';

/**
 * Checkpoints are places in one log. On another one, also on a copy of it whose positions differ, read models would silently miss or
 * repeat events, and notifications would be sent twice or never.
 * @throws ForeignLog, which says what to do
 */
export async function refuseForeignLog(pool: Pool, eventStore: EventStore): Promise<void> {
  const known = [...(await readCheckpoints(pool)).values()];
  if (known.every(({ position }) => position === null)) return;
  const head = await eventStore.headPosition();
  const recognised = new Set<string>();
  for (const { projection, position, event } of known) {
    if (position === null) continue;
    if (head === undefined || BigInt(position) > head) throw new ForeignLog(`${projection} is at position ${position}, beyond the log's end: ${ADVICE}`);
    if (event === null || recognised.has(position)) continue;
    if ((await locate(eventStore, event))?.position !== BigInt(position)) {
      throw new ForeignLog(`${projection} is at position ${position}, where this event store does not hold the event that was there (${event.stream}@${event.revision}): ${ADVICE}`);
    }
    recognised.add(position);
  }
}

/** Whether a start would be refused. */
export async function isForeignLog(pool: Pool, eventStore: EventStore): Promise<boolean> {
  try {
    await refuseForeignLog(pool, eventStore);
    return false;
  } catch (error) {
    if (error instanceof ForeignLog) return true;
    throw error;
  }
}

/** Says what to do. */
export class ForeignLog extends Error {
  override name = 'ForeignLog';
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
