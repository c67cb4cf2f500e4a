import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Pool } from 'pg';
import { Registry } from 'prom-client';
import { type Counts, type Levels } from '../../contexts/figures/domain/figures.js';
import { FigureRecorder } from '../../contexts/figures/figure-recorder.js';
import { FigureTable } from '../../contexts/figures/figure-table.js';
import { type Clock } from '../../kernel/clock.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type ServiceMetrics } from './service-metrics.js';
import { StoreState } from './store-state.js';
import { StoreStateMetrics } from './store-state-metrics.js';

const ERRORS = ['failed', 'unavailable'];
const FAILED_ATTEMPTS = ['failed', 'exhausted'];

interface Value {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

interface Parts {
  readonly metrics: Pick<ServiceMetrics, 'registry'>;
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: Clock;
  /** The roles of this thread. */
  readonly roles: readonly string[];
}

/** Returns the recorder of a thread's figures, which are those of its metrics. Each thread has its own, because its metrics are its own. */
export function figureRecorder({ metrics: { registry }, pool, eventStore, clock, roles }: Parts): FigureRecorder {
  return new FigureRecorder({
    table: new FigureTable(pool),
    clock,
    writer: { id: randomUUID(), roles, host: hostname(), pid: process.pid },
    counts: () => countsIn(registry),
    levels: levelsOf(pool, eventStore),
  });
}

async function countsIn(registry: Registry): Promise<Counts> {
  const [lookups, refunds, attempts] = [
    await valuesOf(registry, 'rupa_lookups_total'),
    await valuesOf(registry, 'rupa_refunds_total'),
    await valuesOf(registry, 'rupa_webhook_deliveries_total'),
  ];
  return {
    lookups: sum(lookups),
    billed: sum(lookups, ['billed']),
    errors: sum(lookups, ERRORS),
    refunds: sum(refunds),
    delivered: sum(attempts, ['delivered']),
    failed_deliveries: sum(attempts, FAILED_ATTEMPTS),
  };
}

/**
 * Returns a function that reads the levels, which costs the stores as much as a scrape of the metrics. Its gauges have a registry of their
 * own, because the served ones exist only where METRICS_PORT is set.
 */
function levelsOf(pool: Pool, eventStore: EventStore): () => Promise<Levels> {
  const registry = new Registry();
  const state = new StoreState(pool, eventStore, new StoreStateMetrics(registry));
  const highest = async (name: string, labels: Value['labels'] = {}): Promise<number | null> => {
    const wanted = Object.entries(labels);
    const values = (await valuesOf(registry, name)).filter((each) => wanted.every(([label, value]) => each.labels[label] === value));
    return values.length === 0 ? null : Math.max(...values.map(({ value }) => value));
  };
  return async () => {
    await state.refresh();
    return {
      lag_seconds: await highest('rupa_projection_lag_seconds'),
      lag_events: await highest('rupa_projection_lag_events'),
      open_charges: await highest('rupa_charges_open'),
      oldest_charge_seconds: await highest('rupa_charges_open_oldest_age_seconds'),
      deliveries_waiting: await highest('rupa_webhook_deliveries_waiting'),
      failing_seconds: await highest('rupa_webhook_delivery_overdue_seconds', { endpoints: 'failing' }),
    };
  };
}

async function valuesOf(registry: Registry, name: string): Promise<readonly Value[]> {
  return (await registry.getSingleMetric(name)?.get())?.values ?? [];
}

/** @param outcomes values of the label `outcome` to count; default: all */
function sum(values: readonly Value[], outcomes?: readonly string[]): number {
  return values.reduce((total, { labels, value }) => (outcomes?.includes(String(labels.outcome)) === false ? total : total + value), 0);
}
