import { type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { Registry } from 'prom-client';
import { RingBuffer } from '../../console/screens/overview/sample-history.js';
import { type OverviewReading, type OverviewSource, type Sample } from '../../console/screens/overview/overview-source.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type Readiness } from '../health/readiness.js';
import { type ServiceMetrics } from '../metrics/service-metrics.js';
import { StoreState } from '../metrics/store-state.js';
import { StoreStateMetrics } from '../metrics/store-state-metrics.js';

const SAMPLE_EVERY_MS = 15_000;
const HOUR_MS = 3_600_000;
/** Pages that are open at the same time share one probe of the stores. */
const FAULTS_KEPT_MS = 4_000;
const ERRORS = ['failed', 'unavailable'];

interface Value {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

interface Parts {
  readonly metrics: Pick<ServiceMetrics, 'registry'>;
  readonly readiness: Pick<Readiness, 'faults' | 'degradedBy'>;
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

/**
 * Keeps the last hour of this process in memory for the console. A sample costs the stores as much as a scrape of the metrics. The gauges
 * of the stores have a registry of their own, because the served ones exist only where METRICS_PORT is set.
 */
export class OverviewSampler implements OverviewSource, OnApplicationShutdown {
  private readonly samples = new RingBuffer<Sample>(HOUR_MS / SAMPLE_EVERY_MS + 1);
  private readonly stores = new Registry();
  private readonly state: StoreState;
  private timer: NodeJS.Timeout | undefined;
  private probe: { readonly atMs: number; readonly state: Promise<Pick<OverviewReading, 'faults' | 'degradedBy'>> } | undefined;

  constructor(private readonly parts: Parts) {
    this.state = new StoreState(parts.pool, parts.eventStore, new StoreStateMetrics(this.stores));
  }

  /** Takes a sample now and every 15 seconds until the application shuts down. */
  start(): void {
    this.timer ??= setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
    void this.sample();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async read(): Promise<OverviewReading> {
    const now = performance.now();
    if (!this.probe || now - this.probe.atMs > FAULTS_KEPT_MS) this.probe = { atMs: now, state: this.probeStores() };
    return { ...(await this.probe.state), samples: this.samples.values() };
  }

  private async probeStores(): Promise<Pick<OverviewReading, 'faults' | 'degradedBy'>> {
    const { readiness } = this.parts;
    const [faults, degradedBy] = await Promise.all([readiness.faults(), readiness.degradedBy()]);
    return { faults, degradedBy };
  }

  private async sample(): Promise<void> {
    await this.state.refresh();
    const { registry } = this.parts.metrics;
    const lookups = await valuesOf(registry, 'rupa_lookups_total');
    const gauge = async (name: string, labels: Value['labels'] = {}): Promise<number | null> => {
      const values = (await valuesOf(this.stores, name)).filter((each) => matches(each, labels)).map(({ value }) => value);
      return values.length === 0 ? null : Math.max(...values);
    };
    this.samples.push({
      atMs: Date.now(),
      lookups: sum(lookups),
      billed: sum(lookups.filter((each) => matches(each, { outcome: 'billed' }))),
      errors: sum(lookups.filter(({ labels }) => ERRORS.includes(String(labels.outcome)))),
      refunds: sum(await valuesOf(registry, 'rupa_refunds_total')),
      openCharges: await gauge('rupa_charges_open'),
      oldestChargeSeconds: await gauge('rupa_charges_open_oldest_age_seconds'),
      lagSeconds: await gauge('rupa_projection_lag_seconds'),
      lagEvents: await gauge('rupa_projection_lag_events'),
      deliveriesWaiting: await gauge('rupa_webhook_deliveries_waiting'),
      failingSeconds: await gauge('rupa_webhook_delivery_overdue_seconds', { endpoints: 'failing' }),
    });
  }
}

async function valuesOf(registry: Registry, name: string): Promise<readonly Value[]> {
  return (await registry.getSingleMetric(name)?.get())?.values ?? [];
}

function matches({ labels }: Value, wanted: Value['labels']): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

function sum(values: readonly Value[]): number {
  return values.reduce((total, { value }) => total + value, 0);
}
