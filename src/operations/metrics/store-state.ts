import { type Pool } from 'pg';
import { erasuresAfter } from '../../../projections/erased-farmer/erased-farmer.reader.js';
import { openChargeBacklog } from '../../../projections/open-charge/open-charge.reader.js';
import { AccessRejected, type AccessReason, type EventStore } from '../../platform/event-sourcing/event-store.js';
import { checkpointTimes } from '../../contexts/evidence/checkpoints/checkpoint-log.js';
import { secondsOverdue } from '../../contexts/evidence/domain/due.js';
import { LOG_TREE } from '../../contexts/evidence/tree/log-tile-table.js';
import { ERASURES } from '../../contexts/farmers/erasing/erasures.js';
import { deliveryBacklog } from '../../contexts/webhooks/delivering/delivery-queue.js';
import { WEBHOOK_SUBSCRIBER } from '../../contexts/webhooks/notifying/notification-writer.js';
import { type Checkpoint, MAX_COUNTED_LAG, readCheckpoints, readPosition } from '../../platform/projecting/checkpoints.js';
import { type MaintenanceMode } from '../../http/limiting/maintenance-mode.js';
import { type Metrics } from '../../platform/metrics/metrics.js';
import { type StoreClients } from '../../platform/metrics/watch.js';
import { inTime } from './in-time.js';
import { type ProjectionLag, StoreStateMetrics } from './store-state-metrics.js';
import { Gauge } from 'prom-client';
import { unusableByCategory } from '../../platform/unusable-events/unusable-table.js';
import { CATEGORIES } from '../../stores/event-streams.js';

/** Reads open charges, waiting deliveries and lags from both stores, at every scrape and never in between. */
export class StoreState {
  private reading: Promise<unknown> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly metrics: StoreStateMetrics,
    /** Undefined leaves out the metric about checkpoints. */
    private readonly checkpointEverySeconds?: number,
    /** Undefined leaves out the metric about maintenance. */
    private readonly maintenance?: Pick<MaintenanceMode, 'inForce'>,
  ) {}

  /** Reads the stores. Concurrent scrapes share one reading. */
  async refresh(): Promise<void> {
    this.reading ??= Promise.all([this.readCounts(), this.readLags(), this.readCheckpoint(), this.readMaintenance()]).finally(() => {
      this.reading = undefined;
    });
    await this.reading;
  }

  private async readCounts(): Promise<void> {
    const counts = await inTime(this.readClock().then(() => this.counts()));
    this.metrics.storeUp('database', counts !== undefined);
    if (!counts) {
      this.metrics.forgetCounts();
      return;
    }
    this.metrics.charges(counts.charges);
    this.metrics.waitingDeliveries(counts.deliveries, counts.deliveries.overdueSeconds);
    this.metrics.waitingErasures(counts.erasures);
  }

  private async counts() {
    return {
      charges: await openChargeBacklog(this.pool),
      deliveries: await deliveryBacklog(this.pool),
      erasures: await erasuresAfter(this.pool, await readPosition(this.pool, ERASURES)),
    };
  }

  private async readCheckpoint(): Promise<void> {
    const { checkpointEverySeconds: every } = this;
    if (every === undefined) return;
    const times = await inTime(checkpointTimes(this.eventStore));
    this.metrics.checkpoint(times && secondsOverdue(times, every, new Date()));
  }

  private async readMaintenance(): Promise<void> {
    const { maintenance } = this;
    if (maintenance) this.metrics.inMaintenance(await inTime(maintenance.inForce().then((found) => found !== null)));
  }

  /** Compares the clocks. The error is at most half the time that the statement takes. */
  private async readClock(): Promise<void> {
    const before = Date.now();
    const { rows } = await this.pool.query<{ now_ms: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms');
    this.metrics.clockAhead(((before + Date.now()) / 2 - (rows[0]?.now_ms ?? before)) / 1_000);
  }

  /** Reads the lags. If the checkpoints cannot be read, it still probes the event store, so that rupa_store_up is right for each store. */
  private async readLags(): Promise<void> {
    const checkpoints = await inTime(
      readCheckpoints(this.pool).then((all) =>
        [...all.values()].filter(({ projection }) => projection !== ERASURES && projection !== LOG_TREE),
      ),
    );
    let rejected: AccessReason | undefined;
    const noted = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        if (error instanceof AccessRejected) rejected = error.reason;
        throw error;
      }
    };
    const [lags, acceptsAppends] = await Promise.all([
      inTime(noted(checkpoints ? this.lags(checkpoints) : this.eventStore.headPosition().then(() => []))),
      inTime(noted(this.eventStore.checkAppends().then(() => true))),
    ]);
    this.metrics.eventStoreRejected(rejected);
    this.metrics.storeUp('event_store', lags !== undefined && acceptsAppends === true);
    if (!checkpoints || !lags) {
      this.metrics.forgetLags();
      return;
    }
    const reactions = new Set(checkpoints.filter(({ reaction }) => reaction).map(({ projection }) => projection));
    this.metrics.lags(
      lags.filter(({ projection }) => !reactions.has(projection)),
      lags.find(({ projection }) => projection === WEBHOOK_SUBSCRIBER),
    );
  }

  /** Returns the lag of each checkpoint. Most are at the same position, so the events beyond a position are counted only once. */
  private async lags(checkpoints: readonly Checkpoint[]): Promise<readonly ProjectionLag[]> {
    const beyond = new Map<string | null, { readonly events: number; readonly seconds: number }>();
    for (const { position } of checkpoints) if (!beyond.has(position)) beyond.set(position, await this.beyond(position));
    return checkpoints.map(({ projection, position, fault }) => ({
      projection,
      faulted: fault !== null,
      ...(beyond.get(position) ?? { events: 0, seconds: 0 }),
    }));
  }

  private async beyond(position: string | null): Promise<{ events: number; seconds: number }> {
    const { events, since } = await this.eventStore.backlog(position === null ? undefined : BigInt(position), MAX_COUNTED_LAG);
    return { events, seconds: since === undefined ? 0 : Math.max(0, (Date.now() - since.getTime()) / 1_000) };
  }
}

/** Reads both stores at every scrape of this registry. One thread per process has to do that. */
export function watchStoreState(
  metrics: Metrics,
  { pool, eventStore }: StoreClients,
  checkpointEverySeconds: number,
  maintenance: Pick<MaintenanceMode, 'inForce'>,
): void {
  const state = new StoreState(pool, eventStore, new StoreStateMetrics(metrics.registry), checkpointEverySeconds, maintenance);
  metrics.beforeCollect(() => state.refresh());
  watchUnusableEvents(metrics, pool);
}

/** Exports how many events are set aside because they cannot be used (docs/adr/0030), from the database at each scrape. */
function watchUnusableEvents(metrics: Metrics, pool: Pool): void {
  const gauge = new Gauge({
    name: 'rupa_unusable_events',
    help: 'Events that the service cannot use and that wait for an operator’s decision, by category of their stream',
    labelNames: ['category'],
    registers: [metrics.registry],
  });
  metrics.beforeCollect(async () => {
    const counts = await inTime(unusableByCategory(pool));
    gauge.reset();
    if (!counts) return;
    for (const category of CATEGORIES) gauge.set({ category }, 0);
    for (const { category, events } of counts) gauge.set({ category }, events);
  });
}
