import { type Pool, type PoolClient } from 'pg';
import { databaseOutage } from '../../database/database-outage.js';
import { inTransaction } from '../../database/pool.js';
import { type RecordedEvent, type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { skippedIdOf } from '../../unusable-events/skipped-events.js';
import { recordSkips, recordUnusable, type SetAside } from '../../unusable-events/unusable-table.js';
import { announceShown, type Checkpoint, FencedOff, markFaulted, moveCheckpoints, takeFences, positionOf } from '../checkpoints.js';
import { announceDirectoryChange } from '../in-memory/directory-lease.js';
import { type DerivedTable } from '../derived-table.js';
import { handledEvents, fold, ProjectionFault, splitAfterWipes, keysToLoad } from './fold.js';
import { EventsBetweenUnknown, type OlderRows } from './older-rows.js';
import { handles, type Projection } from '../projection.js';
import { PREFER_KEY_LOOKUPS, type ReadModelTable } from '../read-model-table.js';

export interface RunningProjection {
  readonly projection: Projection;
  readonly table: ReadModelTable;
  readonly derived: readonly DerivedTable[];
  readonly older: OlderRows;
  checkpoint: Checkpoint;
}

export interface Batch {
  readonly events: readonly RecordedEvent[];
  /** The last event of the batch, which may be one that is passed over. */
  readonly last: StoredEvent;
  /** Events that cannot be used; they are recorded, and no projection applies them. */
  readonly setAside: readonly SetAside[];
  /** Names of the read models that do not take part. Waiting readers are told that all others show the batch; undefined to tell them nothing. */
  readonly behind: readonly string[] | undefined;
  /** Whether partners, API keys or prices change, so that instances have to clear their caches. */
  readonly changesDirectory: boolean;
}

/** Milliseconds that a batch's transaction may be idle or wait for a lock, so that a projector suspended in mid-batch loses its locks. */
const BATCH_TIMEOUT_MS = 10_000;
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${BATCH_TIMEOUT_MS}; set local lock_timeout = ${BATCH_TIMEOUT_MS}; ${PREFER_KEY_LOOKUPS}`;

/**
 * Writes the rows, the checkpoints and the notifications of a batch in one transaction. Returns the checkpoints after it. A projection
 * that cannot apply an event is marked as faulted there, and the others continue.
 * @throws FencedOff, EventsBetweenUnknown, or an error of PostgreSQL that {@link databaseOutage} explains
 */
export async function applyBatch(pool: Pool, due: readonly RunningProjection[], batch: Batch): Promise<Map<RunningProjection, Checkpoint>> {
  try {
    return await applyEach(pool, due, batch, writeWithoutSavepoint);
  } catch (error) {
    if (error instanceof FencedOff || isOutage(error)) throw error;
    // A projection cannot apply its events. With a savepoint per projection, only that one stops.
    return await applyEach(pool, due, batch, writeOrFault);
  }
}

/**
 * Returns whether a faulted projection could apply the event now. Nothing is written.
 * @throws an error of PostgreSQL that {@link databaseOutage} explains
 */
export async function couldApply(pool: Pool, running: RunningProjection, event: RecordedEvent): Promise<boolean> {
  const applied = new Error('The trial is over.');
  try {
    await inTransaction(
      pool,
      async (client) => {
        await write(client, running, [event]);
        throw applied;
      },
      BEGIN,
    );
  } catch (error) {
    if (isOutage(error)) throw error;
    return error === applied;
  }
  return false;
}

/** @param apply writes the rows of one projection and returns its checkpoint; this function stores it unless the projection faulted */
async function applyEach(
  pool: Pool,
  due: readonly RunningProjection[],
  batch: Batch,
  apply: typeof writeOrFault,
): Promise<Map<RunningProjection, Checkpoint>> {
  const { last, setAside, behind, changesDirectory } = batch;
  const skipped = batch.events.flatMap((event) => skippedIdOf(event as StoredEvent) ?? []);
  return await inTransaction(
    pool,
    async (client) => {
      await takeFences(
        client,
        due.map(({ checkpoint }) => checkpoint),
      );
      const outcomes = new Map<RunningProjection, Checkpoint>();
      for (const one of due) outcomes.set(one, await apply(client, one, batch));
      const [caughtUp, faulted] = namesByOutcome(outcomes);
      await moveCheckpoints(client, caughtUp, last.position, last);
      if (setAside.length > 0) await recordUnusable(client, setAside);
      if (skipped.length > 0) await recordSkips(client, skipped);
      if (behind) await announceShown(client, { position: last.position, behind: [...behind, ...faulted] });
      if (changesDirectory || setAside.length + skipped.length > 0) await announceDirectoryChange(client);
      return outcomes;
    },
    BEGIN,
  );
}

/** Returns the names of the projections that applied the batch, and of those that it made faulted. */
function namesByOutcome(outcomes: ReadonlyMap<RunningProjection, Checkpoint>): [applied: string[], faulted: string[]] {
  const [applied, faulted]: [string[], string[]] = [[], []];
  for (const [{ projection }, { fault }] of outcomes) (fault === null ? applied : faulted).push(projection.name);
  return [applied, faulted];
}

/** Writes the rows of one projection. A failure rolls the whole batch back. */
async function writeWithoutSavepoint(client: PoolClient, running: RunningProjection, batch: Batch): Promise<Checkpoint> {
  await write(client, running, relevantOf(running, batch.events));
  return checkpointAfter(running, batch);
}

function checkpointAfter({ checkpoint }: RunningProjection, { last }: Batch): Checkpoint {
  return { ...checkpoint, position: last.position.toString() };
}

function relevantOf({ projection, checkpoint }: RunningProjection, events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.filter((event) => event.position > positionOf(checkpoint) && handles(projection, event));
}

async function writeOrFault(client: PoolClient, running: RunningProjection, batch: Batch): Promise<Checkpoint> {
  const relevant = relevantOf(running, batch.events);
  const caughtUp = checkpointAfter(running, batch);
  if (relevant.length === 0) return caughtUp;
  try {
    await writeBehindSavepoint(client, running, relevant);
    return caughtUp;
  } catch (error) {
    if (isOutage(error)) throw error;
    return (await writeUntilFault(client, running, relevant)) ?? caughtUp;
  }
}

async function write(
  client: PoolClient,
  { projection, table, derived, older }: RunningProjection,
  events: readonly RecordedEvent[],
): Promise<void> {
  for (const run of splitAfterWipes(projection, events)) {
    const { handled, fault } = handledEvents(projection, run.events);
    if (fault) throw fault;
    const stored = await table.load(client, [...keysToLoad(handled).values()]);
    const folded = fold(handled, await older.voided(projection, handled, stored));
    await table.write(client, folded);
    for (const each of derived) await each.follow(client, folded.changes);
    if (!run.wipe) continue;
    await table.wipe(client, run.wipe);
    for (const each of derived) await each.followWipe(client, run.wipe);
  }
}

async function writeBehindSavepoint(client: PoolClient, running: RunningProjection, events: readonly RecordedEvent[]): Promise<void> {
  await client.query('savepoint projection');
  try {
    await write(client, running, events);
    await client.query('release savepoint projection');
  } catch (error) {
    if (!isOutage(error)) await client.query('rollback to savepoint projection');
    throw error;
  }
}

/** Writes one event at a time. Marks the projection as faulted at the first event that fails, and returns that checkpoint. */
async function writeUntilFault(
  client: PoolClient,
  running: RunningProjection,
  events: readonly RecordedEvent[],
): Promise<Checkpoint | undefined> {
  let lastApplied: RecordedEvent | undefined;
  const name = running.projection.name;
  for (const event of events) {
    try {
      await writeBehindSavepoint(client, running, [event]);
      lastApplied = event;
    } catch (error) {
      if (isOutage(error)) throw error;
      const fault = (error instanceof ProjectionFault ? error : new ProjectionFault(event, error)).message;
      if (lastApplied) await moveCheckpoints(client, [name], lastApplied.position, lastApplied);
      await markFaulted(client, name, event.position, fault);
      const position = lastApplied?.position.toString() ?? running.checkpoint.position;
      return { ...running.checkpoint, position, fault_position: event.position.toString(), fault };
    }
  }
  return undefined;
}

/** Returns whether an error passes without a change of the projection, so that the batch is worth a retry. */
function isOutage(error: unknown): boolean {
  return error instanceof EventsBetweenUnknown || databaseOutage(error) !== undefined;
}
