import { type ClientBase, type Pool } from 'pg';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';

/** Channel on which each committed batch tells how far the read models are. */
export const PROJECTED_CHANNEL = 'rupa_projected';
/** Channel that tells to drop what is kept of partners, keys and prices. */
export const DIRECTORY_CHANNEL = 'rupa_directory';

/** How far a subscriber of the log has come, as committed with what it wrote: a projection, or a reaction such as the webhook subscriber. */
export interface Checkpoint {
  readonly projection: string;
  readonly version: number;
  /** Position in $all of the last event that its rows show; null before the first. */
  readonly position: string | null;
  readonly fault_position: string | null;
  readonly fault: string | null;
  /** A reaction builds no read model: nobody waits for it to show something, and no rebuild starts it again. */
  readonly reaction: boolean;
  /** The event at `position`, by which the log is recognised (foreign-log.ts); null where nobody noted it. */
  readonly event: CheckpointEvent | null;
}

export interface CheckpointEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
}

/** Another projector has moved a checkpoint: this one must not write. */
export class FencedOff extends Error {
  override name = 'FencedOff';
}

const COLUMNS = 'projection, version, position, fault_position, fault, reaction, event';

/** All checkpoints; those of `locked` are held until the transaction ends, so that no projector moves them. */
export async function readCheckpoints(client: Pick<Pool, 'query'>, locked: readonly string[] = []): Promise<Map<string, Checkpoint>> {
  if (locked.length > 0)
    await client.query('select from ops.checkpoint where projection = any($1) order by projection for update', [locked]);
  const { rows } = await client.query<Checkpoint>(`select ${COLUMNS} from ops.checkpoint`);
  return new Map(rows.map((row) => [row.projection, row]));
}

/** The checkpoint of a reaction, at the log's beginning unless there is one. */
export async function ensureReaction(client: ClientBase, name: string, version: number): Promise<Checkpoint> {
  await client.query(
    `insert into ops.checkpoint (projection, version, reaction) values ($1, $2, true)
     on conflict (projection) do update set reaction = true where not checkpoint.reaction`,
    [name, version],
  );
  const { rows } = await client.query<Checkpoint>(`select ${COLUMNS} from ops.checkpoint where projection = $1`, [name]);
  const [checkpoint] = rows;
  if (!checkpoint) throw new Error(`The checkpoint ${name} vanished.`);
  return checkpoint;
}

/** Whether every one of these projections shows the event at `position`; one that is faulted shows nothing more. */
export async function haveReached(client: ClientBase, projections: readonly string[], position: bigint): Promise<boolean> {
  const { rows } = await client.query<{ reached: boolean }>(
    'select count(*) = cardinality($1::text[]) as reached from ops.checkpoint where projection = any($1) and position >= $2',
    [projections, position.toString()],
  );
  return rows[0]?.reached ?? false;
}

/** Where a read model is from now on, without a fault; before the first event where `position` is below 0. */
export async function setCheckpoint(client: ClientBase, projection: string, version: number, position: bigint): Promise<void> {
  await client.query(
    `insert into ops.checkpoint (projection, version, position) values ($1, $2, $3)
     on conflict (projection) do update set version = excluded.version, position = excluded.position, fault_position = null, fault = null, event = null`,
    [projection, version, position < 0n ? null : position.toString()],
  );
}

/** Takes a fault away: the projector goes on from where the projection stopped. Answers whether there was one. */
export async function clearFault(client: ClientBase, projection: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'update ops.checkpoint set fault_position = null, fault = null where projection = $1 and fault is not null',
    [projection],
  );
  return rowCount === 1;
}

/**
 * The fence: locks checkpoints and compares them with where this projector believes them to be.
 * @throws FencedOff where another one has written since.
 */
export async function takeFences(client: ClientBase, expected: readonly Checkpoint[]): Promise<void> {
  const names = expected.map(({ projection }) => projection);
  const { rows } = await client.query<Checkpoint>({
    name: 'take-fences',
    text: `select ${COLUMNS} from ops.checkpoint where projection = any($1) order by projection for update`,
    values: [names],
  });
  const found = new Map(rows.map((row) => [row.projection, row]));
  for (const { projection, version, position } of expected) {
    const row = found.get(projection);
    if (row?.position !== position || row.version !== version) {
      throw new FencedOff(
        `${projection} is at ${row?.position ?? 'the start'}, not at ${position ?? 'the start'}: another projector is at work.`,
      );
    }
  }
}

/** @param event the one at that position, where it is at hand */
export async function moveCheckpoints(
  client: ClientBase,
  projections: readonly string[],
  position: bigint,
  event?: EventIdentity,
): Promise<void> {
  const noted = event === undefined ? null : JSON.stringify(checkpointEvent(event));
  await client.query({
    name: 'move-checkpoints',
    text: 'update ops.checkpoint set position = $2, event = $3 where projection = any($1)',
    values: [projections, position.toString(), noted],
  });
}

export type EventIdentity = Pick<StoredEvent, 'id' | 'stream' | 'revision'>;

export function checkpointEvent({ id, stream, revision }: EventIdentity): CheckpointEvent {
  return { id, stream, revision: Number(revision) };
}

export async function markFaulted(client: ClientBase, projection: string, position: bigint, reason: string): Promise<void> {
  await client.query('update ops.checkpoint set fault_position = $2, fault = $3 where projection = $1', [
    projection,
    position.toString(),
    reason,
  ]);
}

/** Tells whoever waits how far all read models are that are not faulted, as of this transaction. */
export async function announceCaughtUp(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ position: string | null }>(LEVEL);
  const position = rows[0]?.position;
  if (position != null) await client.query('select pg_notify($1, $2)', [PROJECTED_CHANNEL, position]);
}

/** Position that every read model has come to which is not faulted; -1 before the first event. */
export const LEVEL = 'select min(coalesce(position, -1)) as position from ops.checkpoint where fault is null and not reaction';
