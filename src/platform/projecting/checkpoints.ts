import { type ClientBase, type Pool } from 'pg';
import { isStorableText } from '../../kernel/storable.js';
import { storableText } from '../database/postgres-text.js';
import { type Snapshot } from '../database/held-rows.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';

/** A position before the first event. */
export const START = -1n;

export function positionOf(checkpoint: { readonly position: string | null } | undefined): bigint {
  return BigInt(checkpoint?.position ?? START);
}

/** Returns the highest position; START if there is none. */
export function highest(positions: readonly bigint[]): bigint {
  return positions.reduce((max, position) => (position > max ? position : max), START);
}

/** Returns the lowest position; `fallback` if there is none. */
export function lowest(positions: readonly bigint[], fallback: bigint = START): bigint {
  const [first = fallback] = positions;
  return positions.reduce((min, position) => (position < min ? position : min), first);
}

/** Notification channel that carries how far the read models show the log, after each committed batch. */
export const PROJECTED_CHANNEL = 'rupa_projected';

/** Wherever it is shown, the lag behind the log is counted up to this many events. */
export const MAX_COUNTED_LAG = 10_000;

/** A row of ops.checkpoint: how far a subscriber of the log is, which is a projection, or a reaction such as the webhook subscriber. */
interface CheckpointRow {
  readonly projection: string;
  readonly version: number;
  /** Position in $all of the last processed event; null before the first. */
  readonly position: string | null;
  readonly fault_position: string | null;
  readonly fault: string | null;
  /** True for a reaction, which builds no read model: readers do not wait for it, and it is never rebuilt. */
  readonly reaction: boolean;
  /** The event at `position`, which identifies the log (foreign-log.ts); null if it was not recorded. */
  readonly event: CheckpointEvent | null;
  /** Added to positions in $all, so that the sequence of a reaction keeps rising after a switch of the log. */
  readonly sequence_offset: string;
}

/** The position of a subscriber of the log, committed together with what it wrote. */
export type Checkpoint = Omit<CheckpointRow, 'sequence_offset'>;

export interface CheckpointEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
}

/** Another projector has moved a checkpoint, so this one must not write. */
export class FencedOff extends Error {
  override name = 'FencedOff';
}

const COLUMNS = 'projection, version, position, fault_position, fault, reaction, event';

/** Returns all checkpoints. Those named in `locked` are locked until the transaction ends, so that no projector moves them. */
export async function readCheckpoints(client: Pick<Pool, 'query'>, locked: readonly string[] = []): Promise<Map<string, Checkpoint>> {
  if (locked.length > 0)
    await client.query('select from ops.checkpoint where projection = any($1) order by projection for update', [locked]);
  const { rows } = await client.query<Checkpoint>(`select ${COLUMNS} from ops.checkpoint`);
  return new Map(rows.map((row) => [row.projection, row]));
}

/** Returns the checkpoint of a reaction, after creating it at the beginning of the log if there is none. */
export async function ensureReaction(client: ClientBase, name: string, version: number): Promise<Checkpoint> {
  await client.query(
    `insert into ops.checkpoint (projection, version, reaction) values ($1, $2, true)
     on conflict (projection) do update set reaction = true where not checkpoint.reaction`,
    [name, version],
  );
  const { rows } = await client.query<Checkpoint>(`select ${COLUMNS} from ops.checkpoint where projection = $1`, [name]);
  const [checkpoint] = rows;
  if (!checkpoint) throw new Error(`The checkpoint of ${name} was deleted while it was being read.`);
  return checkpoint;
}

/** Returns the position of a checkpoint; -1 before the first event, and if there is no checkpoint. */
export async function readPosition(client: Pick<Pool, 'query'>, projection: string): Promise<bigint> {
  const { rows } = await client.query<Pick<CheckpointRow, 'position'>>('select position from ops.checkpoint where projection = $1', [
    projection,
  ]);
  return positionOf(rows[0]);
}

/** Returns whether all of these projections have applied the event at `position`. A faulted one does not advance. */
export async function haveReached(client: ClientBase, projections: readonly string[], position: bigint): Promise<boolean> {
  const { rows } = await client.query<{ reached: boolean }>(
    'select count(*) = cardinality($1::text[]) as reached from ops.checkpoint where projection = any($1) and position >= $2',
    [projections, position.toString()],
  );
  return rows[0]?.reached ?? false;
}

/** Sets the checkpoint of a read model and clears its fault. A negative position means before the first event. */
export async function setCheckpoint(client: ClientBase, projection: string, version: number, position: bigint): Promise<void> {
  await client.query(
    `insert into ops.checkpoint (projection, version, position) values ($1, $2, $3)
     on conflict (projection) do update set version = excluded.version, position = excluded.position, fault_position = null, fault = null, event = null`,
    [projection, version, position < 0n ? null : position.toString()],
  );
}

/** Clears a fault, so that the projector continues after the last applied event. Returns whether there was one. */
export async function clearFault(client: ClientBase, projection: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'update ops.checkpoint set fault_position = null, fault = null where projection = $1 and fault is not null',
    [projection],
  );
  return rowCount === 1;
}

/**
 * Locks the checkpoints until the end of the transaction and compares them with those that this projector last wrote.
 * @throws FencedOff if another projector has moved one of them since
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
        `The checkpoint of ${projection} is at ${row?.position ?? 'the start'} instead of ${position ?? 'the start'}: another projector has moved it.`,
      );
    }
  }
}

/** @param event the event at that position, if the caller has it; later starts recognise the log by it */
export async function moveCheckpoints(
  client: ClientBase,
  projections: readonly string[],
  position: bigint,
  event?: EventIdentity,
): Promise<void> {
  const noted = event === undefined || !isStorableText(event.stream) ? null : JSON.stringify(checkpointEvent(event));
  await client.query({
    name: 'move-checkpoints',
    text: 'update ops.checkpoint set position = $2, event = $3 where projection = any($1)',
    values: [projections, position.toString(), noted],
  });
}

type EventIdentity = Pick<StoredEvent, 'id' | 'stream' | 'revision'>;

export function checkpointEvent({ id, stream, revision }: EventIdentity): CheckpointEvent {
  return { id, stream, revision: Number(revision) };
}

export async function markFaulted(client: ClientBase, projection: string, position: bigint, reason: string): Promise<void> {
  await client.query('update ops.checkpoint set fault_position = $2, fault = $3 where projection = $1', [
    projection,
    position.toString(),
    storableText(reason),
  ]);
}

/** How far the read models show the log. */
export interface Shown {
  /** The position that every read model shows but those that are behind; -1 before the first event. */
  readonly position: bigint;
  /** Names of the read models that may not show it: they are faulted, or catch up after a fault. */
  readonly behind: readonly string[];
}

/** Notifies waiting readers, once the transaction is committed, of how far the read models show the log. */
export async function announceShown(client: Pick<ClientBase, 'query'>, { position, behind }: Shown): Promise<void> {
  await client.query('select pg_notify($1, $2)', [PROJECTED_CHANNEL, [position, ...behind].join(' ')]);
}

/** Returns what a notification of {@link announceShown} says. */
export function announcedIn(payload: string): Shown {
  const [position = '-1', ...behind] = payload.split(' ');
  return { position: BigInt(position), behind };
}

/** Returns how far the read models show the log, each up to its own position. */
export function shownBy(positions: ReadonlyMap<string, bigint>): Shown {
  const position = highest([...positions.values()]);
  return { position, behind: [...positions].flatMap(([name, own]) => (own < position ? [name] : [])) };
}

/** Returns the position of each read model, by its name; -1 before the first event. */
export async function shownPositions(client: Pick<Pool, 'query'>): Promise<ReadonlyMap<string, bigint>> {
  const known = [...(await readCheckpoints(client)).values()].filter(({ reaction }) => !reaction);
  return new Map(known.map((checkpoint) => [checkpoint.projection, positionOf(checkpoint)]));
}

const CAUGHT_UP_POSITION = 'select min(coalesce(position, -1)) as position from ops.checkpoint where fault is null and not reaction';

/** Returns the position that all read models without a fault have reached; -1 before the first event. */
export async function caughtUpPosition(client: Pick<Pool, 'query'>): Promise<bigint> {
  const { rows } = await client.query<Pick<CheckpointRow, 'position'>>(CAUGHT_UP_POSITION);
  return positionOf(rows[0]);
}

/** Returns the position up to which the rows of all of these read models are computed in a snapshot; -1 before the first event. */
export async function computedUpTo(snapshot: Snapshot, projections: readonly string[]): Promise<bigint> {
  const reached = 'select min(coalesce(position, -1)) as position from ops.checkpoint where projection = any($1)';
  const [row] = await snapshot.rows<Pick<CheckpointRow, 'position'>>(reached, [projections]);
  return positionOf(row);
}

/**
 * SQL expression for what a reaction adds to positions in $all, so that its sequence keeps rising after the log was moved to a store with
 * lower positions (docs/adr/0011).
 */
export function sequenceOffset(reaction: string): string {
  return `(select sequence_offset from ops.checkpoint where projection = '${reaction}')`;
}

/** Returns whether a reaction has not yet reached a sequence. */
export async function isBeforeSequence(client: Pick<Pool, 'query'>, reaction: string, sequence: string): Promise<boolean> {
  const { rows } = await client.query<{ before: boolean }>(
    'select coalesce(max(position + sequence_offset), 0) < $2::numeric as before from ops.checkpoint where projection = $1',
    [reaction, sequence],
  );
  return rows[0]?.before ?? false;
}

/** How far each read model shows the log, as far as this instance was told. */
export class ShownModels {
  private position = START;
  /** The positions of the read models that do not show `position`, by name. */
  private readonly behind = new Map<string, bigint>();

  /** Returns whether the read models show the event at `position`; without `models`, those that keep up with the log. */
  show(position: bigint, models: readonly string[] = []): boolean {
    return this.position >= position && models.every((model) => this.of(model) >= position);
  }

  /** Returns the position up to which the read model shows the log. */
  of(model: string): bigint {
    return this.behind.get(model) ?? this.position;
  }

  /** Takes what a committed batch announced. */
  announced({ position, behind }: Shown): void {
    if (position < this.position) return;
    const known = new Map(behind.map((model) => [model, this.of(model)]));
    this.behind.clear();
    for (const [model, own] of known) this.behind.set(model, own);
    this.position = position;
  }

  /** Takes the positions that were read from the database. They may be older than what was announced meanwhile. */
  read(positions: ReadonlyMap<string, bigint>): void {
    const { position, behind } = shownBy(positions);
    if (position < this.position) return;
    this.behind.clear();
    for (const model of behind) this.behind.set(model, positions.get(model) ?? START);
    this.position = position;
  }
}
