import { type Pool, type PoolClient } from 'pg';
import { rowsOf, statementsOn } from '../../database/typed-sql.js';
import { inTransaction } from '../../database/pool.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { type Checkpoint, checkpointEvent, readCheckpoints } from '../checkpoints.js';
import { findEvent } from './foreign-log.js';

/** The outcome of a switch; `already` means that the database belonged to the target's log before, and nothing was changed. */
export type SwitchOutcome = 'switched' | 'already';

/** The log in which a checkpoint's event has the checkpoint's position; `unknown` for a checkpoint without an event. */
type Side = 'source' | 'target' | 'both' | 'unknown';

/**
 * Makes the database belong to a copy of its log (docs/adr/0011). Reactions such as the webhook subscriber continue after the same event
 * as before, at its position in the copy. The next start rebuilds the read models.
 * @param complete makes the copy complete and records that it is, once no service runs and before the database is changed
 * @throws Error, before anything is changed, if a service runs on the database or the database belongs to neither log
 */
export async function switchLog(
  pool: Pool,
  source: EventStore,
  target: EventStore,
  complete: () => Promise<void> = () => Promise.resolve(),
): Promise<SwitchOutcome> {
  return await inTransaction(pool, async (client) => {
    await refuseWhileServiceRuns(client);
    const names = [...(await readCheckpoints(client)).keys()];
    const known = [...(await readCheckpoints(client, names)).values()];
    const sides = await Promise.all(known.map((checkpoint) => sideOf(checkpoint, source, target)));
    if (sides.includes('source') && sides.includes('target'))
      throw new Error(
        'Some checkpoints of this database belong to the source log and some to the target log. Restore a backup of the database that was taken with the source, and run this again.',
      );
    await complete();
    if (sides.includes('target')) return 'already';
    await resetReadModels(client);
    for (const checkpoint of known) if (checkpoint.reaction) await translate(client, checkpoint, source, target);
    return 'switched';
  });
}

const tables = statementsOn<{ 'ops.notification': { readonly position: string | null } }>();

/**
 * Resets the checkpoints of all read models, so that the next start rebuilds them before it serves requests. Their rows then have positions
 * of the other log, with which those of listed notifications cannot be compared.
 */
export async function resetReadModels(client: PoolClient): Promise<void> {
  await rowsOf(client, tables.updateTable('ops.notification').set({ position: null }));
  await client.query(
    'update ops.checkpoint set version = 0, position = null, event = null, fault_position = null, fault = null where not reaction',
  );
}

/** @throws Error if another connection with this service's application_name is open, which means that a service is running */
export async function refuseWhileServiceRuns(client: PoolClient): Promise<void> {
  const others = await connectionsOfService(client);
  if (others > 0) throw new Error(`A service runs on this database (${others} open connections). Stop it, and run this again.`);
}

/** Returns the number of other connections to this database that processes of this service hold open. */
export async function connectionsOfService(client: Pool | PoolClient): Promise<number> {
  const { rows } = await client.query<{ others: string }>(
    `select count(*)::text as others from pg_stat_activity
     where datname = current_database() and application_name = current_setting('application_name') and pid <> pg_backend_pid()`,
  );
  return Number(rows[0]?.others ?? 0);
}

async function sideOf({ projection, position, event }: Checkpoint, source: EventStore, target: EventStore): Promise<Side> {
  if (position === null || event === null) return 'unknown';
  const [inSource, inTarget] = [await findEvent(source, event), await findEvent(target, event)].map(
    (found) => found?.position === BigInt(position),
  );
  if (inSource) return inTarget ? 'both' : 'source';
  if (inTarget) return 'target';
  throw new Error(
    `The checkpoint of ${projection} belongs to neither of the two logs. Give the event store that this database was used with as --from.`,
  );
}

async function translate(
  client: PoolClient,
  { projection, position, event }: Checkpoint,
  source: EventStore,
  target: EventStore,
): Promise<void> {
  if (position === null) return;
  const identity = event ?? checkpointEventOf(await source.eventAt(BigInt(position)), projection);
  const found = await findEvent(target, identity);
  if (!found)
    throw new Error(
      `The copy does not hold ${identity.stream}@${identity.revision}, the event at the checkpoint of ${projection}. Finish the copy, and run this again.`,
    );
  await resumeAfter(client, { projection, position }, found);
}

/** Moves a reaction's checkpoint to `event`, which it processed at `position` of another log. */
export async function resumeAfter(
  client: PoolClient,
  { projection, position }: { readonly projection: string; readonly position: string },
  event: StoredEvent,
): Promise<void> {
  const at = event.position.toString();
  await client.query('update ops.checkpoint set position = $2, event = $3 where projection = $1', [
    projection,
    at,
    JSON.stringify(checkpointEvent(event)),
  ]);
  // Webhooks carry a sequence number, the position plus this offset. Positions of the new log may be lower, and sequences must not be.
  await client.query(
    'update ops.checkpoint set sequence_offset = greatest(0, $2::numeric + sequence_offset - $3::numeric) where projection = $1',
    [projection, position, at],
  );
}

function checkpointEventOf(event: StoredEvent | undefined, projection: string): ReturnType<typeof checkpointEvent> {
  if (!event)
    throw new Error(
      `The source holds no event at the checkpoint of ${projection}. Give the event store that this database was used with as --from.`,
    );
  return checkpointEvent(event);
}
