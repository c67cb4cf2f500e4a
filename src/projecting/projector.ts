import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '../database/pool.js';
import { type Codec } from '../event-sourcing/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { subscribeInBatches } from './batches.js';
import {
  type Checkpoint,
  DIRECTORY_CHANNEL,
  markFaulted,
  moveCheckpoints,
  PROJECTED_CHANNEL,
  readCheckpoints,
  resetCheckpoint,
  takeFences,
} from './checkpoints.js';
import { fold, keysOf } from './fold.js';
import { type Projection } from './projection.js';
import { ReadModelTable } from './read-model-table.js';

export interface ProjectorOptions {
  readonly projections: readonly Projection[];
  /** Schema of the live tables. */
  readonly schema: string;
  readonly maxBatch: number;
  /** A change in rows of these makes every instance drop what it keeps of partners, keys and prices. */
  readonly directory: readonly string[];
  readonly onFault: (projection: string, reason: string) => void;
}

export interface Running {
  readonly projection: Projection;
  readonly table: ReadModelTable;
  checkpoint: Checkpoint;
}

/** PostgreSQL's codes for what passes by itself: connection lost, shutting down, out of resources, deadlock. */
const TRANSIENT = /^(08|40|53|57|58)/;

/** Keeps the read models level with the log: one catch-up subscription, one transaction a batch, a fence and a savepoint per projection. */
export class Projector {
  private running: Running[] = [];

  constructor(
    private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly options: ProjectorOptions,
  ) {}

  /**
   * Makes missing tables, then follows the log until `signal` is aborted.
   * @throws FencedOff when another projector is at work, DataKeyMissing, or what the stores throw; nothing is half applied.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.running = await this.prepare();
    await this.refuseForeignLog();
    const positions = this.healthy().map(({ checkpoint }) => checkpoint.position);
    if (positions.length === 0) throw new Error('Every projection is faulted.');
    const after = positions.includes(null) ? undefined : positions.map((position) => BigInt(position ?? 0)).reduce((low, position) => (position < low ? position : low));
    for await (const batch of subscribeInBatches(this.eventStore, after, this.options.maxBatch, signal)) {
      await this.apply(await this.codec.decode(batch));
    }
  }

  /** Makes the tables that are missing or of an older version. */
  async prepare(): Promise<Running[]> {
    return await inTransaction(this.pool, async (client) => {
      await client.query('lock table ops.checkpoint in share row exclusive mode');
      const known = await readCheckpoints(client);
      const running: Running[] = [];
      for (const projection of this.options.projections) {
        const table = new ReadModelTable(projection, this.options.schema);
        const found = known.get(projection.name);
        if (found && found.version > projection.version) {
          throw new Error(`The read model ${projection.name} was built by a newer version of the service; run that one.`);
        }
        if (found?.version !== projection.version) {
          await table.create(client);
          await resetCheckpoint(client, projection.name, projection.version);
        }
        const fresh = { projection: projection.name, version: projection.version, position: null, fault_position: null, fault: null };
        running.push({ projection, table, checkpoint: found?.version === projection.version ? found : fresh });
      }
      return running;
    });
  }

  /** Read models of another log would silently miss or repeat events. */
  private async refuseForeignLog(): Promise<void> {
    const head = await this.eventStore.headPosition();
    for (const { checkpoint } of this.running) {
      if (checkpoint.position !== null && (head === undefined || BigInt(checkpoint.position) > head)) {
        throw new Error(
          `The read model ${checkpoint.projection} is at position ${checkpoint.position}, beyond the log's end: these stores do not belong together.`,
        );
      }
    }
  }

  private healthy(): Running[] {
    return this.running.filter(({ checkpoint }) => checkpoint.fault === null);
  }

  private async apply(events: readonly RecordedEvent[]): Promise<void> {
    const last = events.at(-1);
    if (!last) return;
    const after = await inTransaction(this.pool, async (client) => {
      const due = this.healthy().filter(({ checkpoint }) => isAfter(last, checkpoint));
      await takeFences(client, due.map(({ checkpoint }) => checkpoint));
      const outcomes = new Map<Running, Checkpoint>();
      for (const running of due) outcomes.set(running, await this.applyTo(client, running, events));
      const level = due.filter((running) => outcomes.get(running)?.fault === null).map(({ projection }) => projection.name);
      await moveCheckpoints(client, level, last.position);
      await client.query('select pg_notify($1, $2)', [PROJECTED_CHANNEL, last.position.toString()]);
      if (this.touchesDirectory(events)) await client.query('select pg_notify($1, $2)', [DIRECTORY_CHANNEL, '']);
      return outcomes;
    });
    for (const [running, checkpoint] of after) {
      running.checkpoint = checkpoint;
      if (checkpoint.fault !== null) this.options.onFault(running.projection.name, checkpoint.fault);
    }
  }

  private touchesDirectory(events: readonly RecordedEvent[]): boolean {
    const directory = this.running.filter(({ projection }) => this.options.directory.includes(projection.name));
    return events.some(({ type }) => directory.some(({ projection }) => projection.handler(type)));
  }

  /** Answers the checkpoint after the batch, which the caller writes unless the projection faulted on the way. */
  private async applyTo(client: PoolClient, running: Running, events: readonly RecordedEvent[]): Promise<Checkpoint> {
    const { projection, checkpoint } = running;
    const relevant = events.filter((event) => isAfter(event, checkpoint) && projection.handler(event.type));
    const level = { ...checkpoint, position: events.at(-1)?.position.toString() ?? checkpoint.position };
    if (relevant.length === 0) return level;
    try {
      await this.write(client, running, relevant);
      return level;
    } catch (error) {
      if (isTransient(error)) throw error;
      return (await this.writeUntilFault(client, running, relevant)) ?? level;
    }
  }

  private async write(client: PoolClient, { projection, table }: Running, events: readonly RecordedEvent[]): Promise<void> {
    await client.query('savepoint projection');
    try {
      const stored = await table.load(client, [...keysOf(projection, events).values()]);
      await table.write(client, fold(projection, events, stored));
      await client.query('release savepoint projection');
    } catch (error) {
      if (!isTransient(error)) await client.query('rollback to savepoint projection');
      throw error;
    }
  }

  /** One event at a time, up to the one that fails: there the projection stops, with the reason. */
  private async writeUntilFault(client: PoolClient, running: Running, events: readonly RecordedEvent[]): Promise<Checkpoint | undefined> {
    let { position } = running.checkpoint;
    const name = running.projection.name;
    for (const event of events) {
      try {
        await this.write(client, running, [event]);
        position = event.position.toString();
      } catch (error) {
        if (isTransient(error)) throw error;
        const cause = error instanceof Error ? error.message : String(error);
        const fault = `event ${event.id} (${event.type}, ${event.stream} at ${event.revision}): ${cause}`;
        if (position !== null) await moveCheckpoints(client, [name], BigInt(position));
        await markFaulted(client, name, event.position, fault);
        return { ...running.checkpoint, position, fault_position: event.position.toString(), fault };
      }
    }
    return undefined;
  }
}

function isAfter({ position }: { readonly position: bigint }, checkpoint: Checkpoint): boolean {
  return checkpoint.position === null || position > BigInt(checkpoint.position);
}

function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return TRANSIENT.test(code) || (code.startsWith('E') && !code.startsWith('ERR_'));
  return /Connection terminated|Client has encountered/.test(String(error));
}
