import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '../database/pool.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { type Checkpoint, FencedOff, markFaulted, moveCheckpoints, takeFences } from './checkpoints.js';
import { dueOf, fold, ProjectionFault, runsOf, wantedOf } from './fold.js';
import { positionOf } from './positions.js';
import { concerns, type Projection } from './projection.js';
import { BY_KEYS, type ReadModelTable } from './read-model-table.js';

export interface Running {
  readonly projection: Projection;
  readonly table: ReadModelTable;
  checkpoint: Checkpoint;
}

export interface Batch {
  readonly events: readonly RecordedEvent[];
  readonly last: RecordedEvent;
  /** Told with the commit. */
  readonly news: readonly { readonly channel: string; readonly text: string }[];
}

/** A projector that is stopped in the middle of a batch must not hold its locks for ever: others are to go on. */
const STOPPED_AFTER_MS = 10_000;
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${STOPPED_AFTER_MS}; set local lock_timeout = ${STOPPED_AFTER_MS}; ${BY_KEYS}`;
/** PostgreSQL's codes for what passes by itself: connection lost, shutting down, out of resources, deadlock, a lock not had in time. */
const TRANSIENT = /^(08|40|53|55|57|58)/;

/** One transaction: the rows, the checkpoints, the news. Answers the checkpoints after it. @throws FencedOff, or what PostgreSQL does that passes by itself */
export async function applyBatch(pool: Pool, due: readonly Running[], batch: Batch): Promise<Map<Running, Checkpoint>> {
  try {
    return await applyEach(pool, due, batch, writeAll);
  } catch (error) {
    if (error instanceof FencedOff || isTransient(error)) throw error;
    // One of them cannot take its events: behind a savepoint each it stops there, and the others go on.
    return await applyEach(pool, due, batch, applyTo);
  }
}

/** @param apply answers the checkpoint after the batch, which is written here unless the projection faulted on the way */
async function applyEach(
  pool: Pool,
  due: readonly Running[],
  { events, last, news }: Batch,
  apply: typeof applyTo,
): Promise<Map<Running, Checkpoint>> {
  return await inTransaction(
    pool,
    async (client) => {
      await takeFences(
        client,
        due.map(({ checkpoint }) => checkpoint),
      );
      const outcomes = new Map<Running, Checkpoint>();
      for (const one of due) outcomes.set(one, await apply(client, one, events));
      const level = due.filter((one) => outcomes.get(one)?.fault === null).map(({ projection }) => projection.name);
      await moveCheckpoints(client, level, last.position, last);
      for (const { channel, text } of news) await client.query('select pg_notify($1, $2)', [channel, text]);
      return outcomes;
    },
    BEGIN,
  );
}

/** Without a savepoint: what fails takes the whole batch back. */
async function writeAll(client: PoolClient, running: Running, events: readonly RecordedEvent[]): Promise<Checkpoint> {
  await write(client, running, relevantOf(running, events));
  return caughtUpWith(running, events);
}

function caughtUpWith({ checkpoint }: Running, events: readonly RecordedEvent[]): Checkpoint {
  return { ...checkpoint, position: events.at(-1)?.position.toString() ?? checkpoint.position };
}

function relevantOf({ projection, checkpoint }: Running, events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.filter((event) => event.position > positionOf(checkpoint) && concerns(projection, event));
}

async function applyTo(client: PoolClient, running: Running, events: readonly RecordedEvent[]): Promise<Checkpoint> {
  const relevant = relevantOf(running, events);
  const level = caughtUpWith(running, events);
  if (relevant.length === 0) return level;
  try {
    await writeBehindSavepoint(client, running, relevant);
    return level;
  } catch (error) {
    if (isTransient(error)) throw error;
    return (await writeUntilFault(client, running, relevant)) ?? level;
  }
}

async function write(client: PoolClient, { projection, table }: Running, events: readonly RecordedEvent[]): Promise<void> {
  for (const run of runsOf(projection, events)) {
    const { due, fault } = dueOf(projection, run.events);
    if (fault) throw fault;
    const stored = await table.load(client, [...wantedOf(due).values()]);
    await table.write(client, fold(due, stored));
    if (run.wipe) await table.wipe(client, run.wipe);
  }
}

async function writeBehindSavepoint(client: PoolClient, running: Running, events: readonly RecordedEvent[]): Promise<void> {
  await client.query('savepoint projection');
  try {
    await write(client, running, events);
    await client.query('release savepoint projection');
  } catch (error) {
    if (!isTransient(error)) await client.query('rollback to savepoint projection');
    throw error;
  }
}

/** One event at a time, up to the one that fails: there the projection stops, with the reason. */
async function writeUntilFault(client: PoolClient, running: Running, events: readonly RecordedEvent[]): Promise<Checkpoint | undefined> {
  let shown: RecordedEvent | undefined;
  const name = running.projection.name;
  for (const event of events) {
    try {
      await writeBehindSavepoint(client, running, [event]);
      shown = event;
    } catch (error) {
      if (isTransient(error)) throw error;
      const fault = (error instanceof ProjectionFault ? error : new ProjectionFault(event, error)).message;
      if (shown) await moveCheckpoints(client, [name], shown.position, shown);
      await markFaulted(client, name, event.position, fault);
      const position = shown?.position.toString() ?? running.checkpoint.position;
      return { ...running.checkpoint, position, fault_position: event.position.toString(), fault };
    }
  }
  return undefined;
}

function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return TRANSIENT.test(code) || (code.startsWith('E') && !code.startsWith('ERR_'));
  return /Connection terminated|Client has encountered/.test(String(error));
}
