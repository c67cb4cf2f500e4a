import { type Pool } from 'pg';
import { inTransaction } from '../database/pool.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { readCheckpoints } from './checkpoints.js';
import { locate, whyForeign } from './foreign-log.js';
import { least } from './positions.js';
import { forgetReadModels, goOnAfter, refuseRunning } from './switch-log.js';

/** A checkpoint whose event this log does not hold: what it knew from there on is lost with the log's end. */
export interface Beyond {
  readonly projection: string;
  readonly position: string;
}

/**
 * Makes the database belong to a log that was restored and ends before what the database knows. What reacts to events goes on after
 * the last event that it has dealt with and this log holds, or else after the newest; read models are built anew by the next start.
 * Answers what was beyond the log, and undefined where the two belong together already.
 * @param change false: nothing is changed. @throws Error where a service runs on the database, or the log is empty
 */
export async function adoptLog(pool: Pool, eventStore: EventStore, change: boolean): Promise<readonly Beyond[] | undefined> {
  if ((await whyForeign(pool, eventStore)) === undefined) return undefined;
  const newest = await eventStore.newestEvent();
  if (!newest) throw new Error('The log is empty. Restore it first, or give the service an empty database.');
  return await inTransaction(pool, async (client) => {
    await refuseRunning(client);
    const beyond: Beyond[] = [];
    const reactions = [...(await readCheckpoints(client)).values()].filter(({ reaction }) => reaction).map(({ projection }) => projection);
    for (const { projection, position, event, reaction } of (await readCheckpoints(client, reactions)).values()) {
      if (!reaction || position === null) continue;
      const dealtWith = await (event ? locate(eventStore, event) : eventStore.eventAt(least([BigInt(position), newest.position])));
      if (!dealtWith) beyond.push({ projection, position });
      if (change) await goOnAfter(client, { projection, position }, dealtWith ?? newest);
    }
    if (change) await forgetReadModels(client);
    return beyond;
  });
}
