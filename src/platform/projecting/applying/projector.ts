import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { type Codec, type DecodedEvents } from '../../event-sourcing/coding/codec.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { inTransaction } from '../../database/pool.js';
import { inSpan } from '../../tracing/spans.js';
import { type RecordedEvent, type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { type UnusableEvent } from '../../event-sourcing/coding/unusable-event.js';
import { withStreams } from '../../unusable-events/unusable-table.js';
import { applyBatch, couldApply, type RunningProjection } from './apply-batch.js';
import { type Batching, subscribeInBatches } from './batches.js';
import { OlderRows } from './older-rows.js';
import { DerivedTable } from '../derived-table.js';
import {
  announceShown,
  clearFault,
  FencedOff,
  readCheckpoints,
  shownBy,
  shownPositions,
  lowest,
  highest,
  positionOf,
  START,
} from '../checkpoints.js';
import { type Projection } from '../projection.js';
import { ReadModelTable } from '../read-model-table.js';
import { type RowMacs } from '../row-macs.js';
import { newerReadModel, SteppedDown } from './stepped-down.js';

export interface ProjectorOptions {
  readonly projections: readonly Projection[];
  /** Schema of the live tables. */
  readonly schema: string;
  readonly maxBatch: number;
  readonly batching?: Batching;
  /** Names of the projections that instances cache (partners, API keys, prices). An event for one of them clears those caches. */
  readonly directory: readonly string[];
  readonly onFault: (projection: string, reason: string) => void;
  /** Called when a faulted projection goes on because it can apply its event by now. */
  readonly onResumed?: (projection: string) => void;
  readonly tryFaultedEveryMs?: number;
  /** Called after each committed batch. */
  readonly onApplied?: (events: number, seconds: number) => void;
  /** Called after each committed batch with its events that cannot be used and the number of those in other streams than the service's. */
  readonly onPassedOver?: (unusable: readonly UnusableEvent[], foreign: number) => void;
}

/** Milliseconds between trials whether a faulted projection can apply its event by now. */
const TRY_FAULTED_EVERY_MS = 30_000;
/** Milliseconds between checks of the checkpoints, which a rebuild or `rupa projections retry` changes from another process. */
const WATCH_EVERY_MS = 1_000;

/**
 * Keeps the read models up to date: one catch-up subscription, one transaction per batch, and a fence per projection.
 * Projections that are behind after a fault catch up on a second subscription, so that they do not delay the others.
 */
export class Projector {
  constructor(
    private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly macs: RowMacs,
    private readonly options: ProjectorOptions,
  ) {}

  /**
   * Follows the log until `signal` is aborted. The tables must exist (start-up.ts). A batch is applied wholly or not at all.
   * @throws FencedOff when another process changed a checkpoint, or when a projection has caught up with the others: the caller runs
   *   the projector again. DataKeyMissing if the key store was lost, and errors of the event store and PostgreSQL, pass through.
   */
  async run(signal: AbortSignal): Promise<void> {
    const running = await this.load();
    const healthy = running.filter(({ checkpoint }) => checkpoint.fault === null);
    if (healthy.length === 0) throw new Error('All read models are faulted. See rupa projections status for the reasons.');
    const front = highest(healthy.map(({ checkpoint }) => positionOf(checkpoint)));
    const behind = healthy.filter(({ checkpoint }) => positionOf(checkpoint) < front);
    const others = running.filter((one) => behind.includes(one) || !healthy.includes(one)).map(({ projection }) => projection.name);
    // Readers that wait for a read model which has just caught up would not learn of it before the next event.
    await announceShown(this.pool, shownBy(await shownPositions(this.pool)));
    const restart = new AbortController();
    const stopped = AbortSignal.any([signal, restart.signal]);
    const fail = (error: unknown): never => {
      restart.abort();
      throw error;
    };
    const catchingUp =
      behind.length > 0
        ? this.follow(behind, stopped, { until: front }).then(() => {
            restart.abort();
          })
        : Promise.resolve();
    await Promise.all([
      this.follow(
        healthy.filter((one) => !behind.includes(one)),
        stopped,
        { others },
      ).catch(fail),
      catchingUp.catch(fail),
      this.watch(running, stopped).catch(fail),
    ]);
    if (restart.signal.aborted && !signal.aborted)
      throw new FencedOff('A read model has caught up; the projector restarts with all of them on one subscription.');
  }

  private async load(): Promise<RunningProjection[]> {
    const known = await readCheckpoints(this.pool);
    const newer = newerReadModel(known, this.options.projections);
    if (newer !== undefined) throw new SteppedDown(newer);
    const older = new OlderRows(this.eventStore, this.codec, this.macs);
    return this.options.projections.map((projection) => {
      const checkpoint = known.get(projection.name);
      if (!checkpoint) throw new FencedOff(`The read model ${projection.name} has no checkpoint yet.`);
      const { schema } = this.options;
      const derived = projection.derived.map((each) => new DerivedTable(projection, each, schema, this.macs));
      return { projection, checkpoint, derived, older, table: new ReadModelTable(projection, schema, this.macs) };
    });
  }

  /** Applies the log to these projections, up to the event at `until` or, without it, until `signal` is aborted. */
  private async follow(
    running: readonly RunningProjection[],
    signal: AbortSignal,
    { until, others }: { readonly until?: bigint; readonly others?: readonly string[] },
  ): Promise<void> {
    const first = lowest(running.map(({ checkpoint }) => positionOf(checkpoint)));
    for await (const batch of subscribeInBatches(
      this.eventStore,
      first === START ? undefined : first,
      this.options.maxBatch,
      signal,
      this.options.batching,
    )) {
      const decoded = await this.codec.decodeUsable(batch);
      const traced = () => ({
        parent: null,
        attributes: { 'rupa.batch.events': batch.length },
        links: decoded.events.map(({ metadata }) => metadata.traceparent),
      });
      await inSpan('project', traced, async () => {
        await this.apply(running, batch, decoded, others);
      });
      const last = batch.at(-1)?.position ?? -1n;
      if (until !== undefined && last >= until) return;
    }
  }

  /** @throws FencedOff once a checkpoint's version or fault has changed */
  private async watch(running: readonly RunningProjection[], signal: AbortSignal): Promise<void> {
    const { tryFaultedEveryMs = TRY_FAULTED_EVERY_MS } = this.options;
    for (let triedAt = performance.now(); ;) {
      if (!(await delay(WATCH_EVERY_MS, true, { signal }).catch(() => false))) return;
      if (performance.now() - triedAt >= tryFaultedEveryMs) {
        for (const one of running) if (one.checkpoint.fault !== null) await this.tryFaulted(one);
        triedAt = performance.now();
      }
      const known = await readCheckpoints(this.pool);
      for (const { checkpoint } of running) {
        const now = known.get(checkpoint.projection);
        if (now?.version !== checkpoint.version || now.fault !== checkpoint.fault)
          throw new FencedOff(`The checkpoint of ${checkpoint.projection} was changed; the projector restarts from it.`);
      }
    }
  }

  /** Ends the fault if its cause is gone: a constraint was dropped, another release runs, or the event was skipped. */
  private async tryFaulted(faulted: RunningProjection): Promise<void> {
    const { projection, fault_position } = faulted.checkpoint;
    const event = fault_position === null ? undefined : await this.eventStore.eventAt(BigInt(fault_position));
    if (!event) return;
    const [decoded] = (await this.codec.decodeUsable([event])).events;
    if (decoded && !(await couldApply(this.pool, faulted, decoded))) return;
    await inTransaction(this.pool, (client) => clearFault(client, projection));
    this.options.onResumed?.(projection);
  }

  private async apply(
    running: readonly RunningProjection[],
    batch: readonly StoredEvent[],
    { events, unusable, foreign }: DecodedEvents,
    others: readonly string[] | undefined,
  ): Promise<void> {
    const last = batch.at(-1);
    if (!last) return;
    const startedAt = performance.now();
    const due = running.filter(({ checkpoint }) => checkpoint.fault === null && last.position > positionOf(checkpoint));
    const setAside = unusable.length === 0 ? [] : await withStreams(this.eventStore, this.codec, unusable);
    const changesDirectory = this.touchesDirectory(events);
    const behind = others && [
      ...others,
      ...running.filter(({ checkpoint }) => checkpoint.fault !== null).map(({ projection }) => projection.name),
    ];
    const after = await applyBatch(this.pool, due, { events, last, setAside, behind, changesDirectory });
    this.options.onApplied?.(events.length, (performance.now() - startedAt) / 1_000);
    if (others) this.options.onPassedOver?.(unusable, foreign);
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
