import { type Pool } from 'pg';
import { inTransaction } from '../../database/pool.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { readCheckpoints, lowest } from '../checkpoints.js';
import { findEvent, foreignLogReason } from './foreign-log.js';
import { refuseWhileServiceRuns, resetReadModels, resumeAfter } from './switch-log.js';

/** A checkpoint whose event this log does not hold, because the log was restored to an earlier state. */
export interface LostCheckpoint {
  readonly projection: string;
  readonly position: string;
}

/**
 * Makes the database belong to a log that was restored and ends before the database's checkpoints. Each reaction continues after the event
 * at its checkpoint if this log holds it, otherwise after the log's newest event. The next start rebuilds the read models.
 * Returns the checkpoints that the log does not hold, or undefined if the database and the log belong together already.
 * @param change false for a dry run
 * @param record records the decision in the log, once no service runs and before the database is changed
 * @throws Error if a service runs on the database, or if the log is empty
 */
export async function adoptLog(
  pool: Pool,
  eventStore: EventStore,
  change: boolean,
  record: () => Promise<void> = () => Promise.resolve(),
): Promise<readonly LostCheckpoint[] | undefined> {
  if ((await foreignLogReason(pool, eventStore)) === undefined) return undefined;
  const newest = await eventStore.newestEvent();
  if (!newest) throw new Error('The log is empty. Restore it first, or give the service an empty database.');
  return await inTransaction(pool, async (client) => {
    await refuseWhileServiceRuns(client);
    if (change) await record();
    const lost: LostCheckpoint[] = [];
    const reactions = [...(await readCheckpoints(client)).values()].filter(({ reaction }) => reaction).map(({ projection }) => projection);
    for (const { projection, position, event, reaction } of (await readCheckpoints(client, reactions)).values()) {
      if (!reaction || position === null) continue;
      const processed = await (event ? findEvent(eventStore, event) : eventStore.eventAt(lowest([BigInt(position), newest.position])));
      if (!processed) lost.push({ projection, position });
      if (change) await resumeAfter(client, { projection, position }, processed ?? newest);
    }
    if (change) await resetReadModels(client);
    return lost;
  });
}
