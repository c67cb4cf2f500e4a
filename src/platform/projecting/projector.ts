import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { type Codec } from '../event-sourcing/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { inSpan } from '../tracing/spans.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { applyBatch, type Running } from './apply-batch.js';
import { type BatchingWindow, subscribeInBatches } from './batches.js';
import { DIRECTORY_CHANNEL, FencedOff, PROJECTED_CHANNEL, readCheckpoints } from './checkpoints.js';
import { least, most, positionOf, START } from './positions.js';
import { type Projection } from './projection.js';
import { ReadModelTable } from './read-model-table.js';
import { SteppedDown } from './stepped-down.js';

export interface ProjectorOptions {
  readonly projections: readonly Projection[];
  /** Schema of the live tables. */
  readonly schema: string;
  readonly maxBatch: number;
  readonly batchingWindow?: BatchingWindow;
  /** A change in rows of these makes every instance drop what it keeps of partners, keys and prices. */
  readonly directory: readonly string[];
  readonly onFault: (projection: string, reason: string) => void;
  /** After each batch is committed. */
  readonly onApplied?: (events: number, seconds: number) => void;
}

/** So often it is looked whether somebody else has moved a checkpoint: rebuilt a read model, or told a faulted one to go on. */
const WATCH_EVERY_MS = 1_000;
/**
 * Keeps the read models level with the log: a catch-up subscription, one transaction a batch, a fence per projection.
 * What has fallen behind, after a fault, catches up on a subscription of its own and holds up nobody.
 */
export class Projector {
  constructor(
    private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly options: ProjectorOptions,
  ) {}

  /**
   * Follows the log until `signal` is aborted; the tables must be there (start-up.ts).
   * @throws FencedOff when somebody else has moved a checkpoint: begin anew; DataKeyMissing, or what the stores throw. Nothing is half applied.
   */
  async run(signal: AbortSignal): Promise<void> {
    const running = await this.load();
    const healthy = running.filter(({ checkpoint }) => checkpoint.fault === null);
    if (healthy.length === 0) throw new Error('Every projection is faulted.');
    const front = most(healthy.map(({ checkpoint }) => positionOf(checkpoint)));
    const behind = healthy.filter(({ checkpoint }) => positionOf(checkpoint) < front);
    const level = new AbortController();
    const either = AbortSignal.any([signal, level.signal]);
    const fail = (error: unknown): never => {
      level.abort();
      throw error;
    };
    const catchingUp =
      behind.length > 0
        ? this.follow(behind, either, front).then(() => {
            level.abort();
          })
        : Promise.resolve();
    await Promise.all([
      this.follow(
        healthy.filter((one) => !behind.includes(one)),
        either,
      ).catch(fail),
      catchingUp.catch(fail),
      this.watch(running, either).catch(fail),
    ]);
    if (level.signal.aborted && !signal.aborted) throw new FencedOff('A read model has caught up; going on with all of them.');
  }

  private async load(): Promise<Running[]> {
    const known = await readCheckpoints(this.pool);
    return this.options.projections.map((projection) => {
      const checkpoint = known.get(projection.name);
      if (!checkpoint) throw new FencedOff(`The read model ${projection.name} has no table yet.`);
      if (checkpoint.version > projection.version)
        throw new SteppedDown(`The read model ${projection.name} was rebuilt by a newer version of the service; this one leaves it alone.`);
      return { projection, checkpoint, table: new ReadModelTable(projection, this.options.schema) };
    });
  }

  /** Up to `until`, or for ever. */
  private async follow(running: readonly Running[], signal: AbortSignal, until?: bigint): Promise<void> {
    const first = least(running.map(({ checkpoint }) => positionOf(checkpoint)));
    for await (const batch of subscribeInBatches(
      this.eventStore,
      first === START ? undefined : first,
      this.options.maxBatch,
      signal,
      this.options.batchingWindow,
    )) {
      const traced = () => ({
        parent: null,
        attributes: { 'rupa.batch.events': batch.length },
        links: batch.map(({ metadata }) => metadata.traceparent),
      });
      await inSpan('project', traced, async () => {
        await this.apply(running, await this.codec.decode(batch), until === undefined);
      });
      const last = batch.at(-1)?.position ?? -1n;
      if (until !== undefined && last >= until) return;
    }
  }

  /** Ends with FencedOff once a checkpoint is not what this projector made it. */
  private async watch(running: readonly Running[], signal: AbortSignal): Promise<void> {
    for (;;) {
      if (!(await delay(WATCH_EVERY_MS, true, { signal }).catch(() => false))) return;
      const known = await readCheckpoints(this.pool);
      for (const { checkpoint } of running) {
        const now = known.get(checkpoint.projection);
        if (now?.version !== checkpoint.version || now.fault !== checkpoint.fault)
          throw new FencedOff(`The checkpoint of ${checkpoint.projection} was changed; beginning anew from there.`);
      }
    }
  }

  private async apply(running: readonly Running[], events: readonly RecordedEvent[], announces: boolean): Promise<void> {
    const last = events.at(-1);
    if (!last) return;
    const startedAt = performance.now();
    const due = running.filter(({ checkpoint }) => checkpoint.fault === null && last.position > positionOf(checkpoint));
    const level = announces ? [{ channel: PROJECTED_CHANNEL, text: last.position.toString() }] : [];
    const directory = this.touchesDirectory(events) ? [{ channel: DIRECTORY_CHANNEL, text: '' }] : [];
    const after = await applyBatch(this.pool, due, { events, last, news: [...level, ...directory] });
    this.options.onApplied?.(events.length, (performance.now() - startedAt) / 1_000);
    for (const [one, checkpoint] of after) {
      one.checkpoint = checkpoint;
      if (checkpoint.fault !== null) this.options.onFault(one.projection.name, checkpoint.fault);
    }
  }

  private touchesDirectory(events: readonly RecordedEvent[]): boolean {
    const directory = this.options.projections.filter(({ name }) => this.options.directory.includes(name));
    return events.some(({ type }) => directory.some((projection) => projection.handler(type)));
  }
}
