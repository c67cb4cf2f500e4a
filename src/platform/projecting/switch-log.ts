import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '../database/pool.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { type Checkpoint, checkpointEvent, readCheckpoints } from './checkpoints.js';
import { locate } from './foreign-log.js';

/** `already`: the database belongs to the target's log, and nothing was changed. */
export type Switched = 'switched' | 'already';

/** Whose position a checkpoint is. */
type Side = 'source' | 'target' | 'both' | 'unknown';

/**
 * Makes the database belong to a copy of its log (docs/adr/0011): what reacts to events goes on after the same event as before, at its
 * position in the copy, and read models are built anew by the next start.
 * @throws Error where a service runs on the database, or it belongs to neither log; nothing is changed then.
 */
export async function switchLog(pool: Pool, source: EventStore, target: EventStore): Promise<Switched> {
  return await inTransaction(pool, async (client) => {
    await refuseRunning(client);
    const names = [...(await readCheckpoints(client)).keys()];
    const known = [...(await readCheckpoints(client, names)).values()];
    const sides = await Promise.all(known.map((checkpoint) => sideOf(checkpoint, source, target)));
    if (sides.includes('source') && sides.includes('target'))
      throw new Error(
        'Some checkpoints of this database belong to the one log and some to the other. Restore a backup of the database that fits the source.',
      );
    if (sides.includes('target')) return 'already';
    await forgetReadModels(client);
    for (const checkpoint of known) if (checkpoint.reaction) await translate(client, checkpoint, source, target);
    return 'switched';
  });
}

/** The next start builds them anew before it serves. */
export async function forgetReadModels(client: PoolClient): Promise<void> {
  await client.query(
    'update ops.checkpoint set version = 0, position = null, event = null, fault_position = null, fault = null where not reaction',
  );
}

/** Everything that this service opens has the same name. @throws Error where a service runs on the database */
export async function refuseRunning(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ others: string }>(
    `select count(*)::text as others from pg_stat_activity
     where datname = current_database() and application_name = current_setting('application_name') and pid <> pg_backend_pid()`,
  );
  const others = rows[0]?.others ?? '0';
  if (others !== '0') throw new Error(`A service runs on this database (it holds ${others} connections). Stop it, and run this again.`);
}

async function sideOf({ projection, position, event }: Checkpoint, source: EventStore, target: EventStore): Promise<Side> {
  if (position === null || event === null) return 'unknown';
  const [here, there] = [await locate(source, event), await locate(target, event)].map((found) => found?.position === BigInt(position));
  if (here) return there ? 'both' : 'source';
  if (there) return 'target';
  throw new Error(
    `The checkpoint of ${projection} belongs to neither of the two logs: --from must be the event store that this database was used with.`,
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
  const found = await locate(target, identity);
  if (!found) throw new Error(`The copy lacks ${identity.stream}@${identity.revision}, at which ${projection} stands.`);
  await goOnAfter(client, { projection, position }, found);
}

/** What reacts to events goes on after `event`, which it had dealt with at `position` of another log. */
export async function goOnAfter(
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
  // Partners were told sequences (positions with this offset) up to here; the next ones must be above.
  await client.query(
    'update ops.checkpoint set sequence_offset = greatest(0, $2::numeric + sequence_offset - $3::numeric) where projection = $1',
    [projection, position, at],
  );
}

function checkpointEventOf(event: StoredEvent | undefined, projection: string): ReturnType<typeof checkpointEvent> {
  if (!event)
    throw new Error(
      `The source holds no event where ${projection} stands: --from must be the event store that this database was used with.`,
    );
  return checkpointEvent(event);
}
