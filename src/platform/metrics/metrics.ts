import { type MetricObject, Registry } from 'prom-client';
import { EventStoreMetrics } from './definitions/event-store.js';
import { ProjectingMetrics } from './definitions/projecting.js';

/** One metric with its values, as one thread hands it to another. */
export type Collected = MetricObject & { readonly values: readonly object[] };

/**
 * What one thread counts (docs/observability.md). Each has a registry of its own, and whoever serves them adds up what has the same
 * name and labels. No label holds an id, or anything else of which there may be many.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly eventStore = new EventStoreMetrics(this.registry);
  readonly projecting = new ProjectingMetrics(this.registry);
  private readonly refreshers: (() => Promise<void>)[] = [];

  /** To be called before each collection; must not throw, and not wait for long. */
  refreshBy(refresh: () => Promise<void>): void {
    this.refreshers.push(refresh);
  }

  async collect(): Promise<readonly Collected[]> {
    await Promise.all(this.refreshers.map((refresh) => refresh()));
    const collected = (await this.registry.getMetricsAsJSON()) as unknown as readonly Collected[];
    // The start time of the process is told once, and would be left out.
    return collected.map((metric) => (metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric));
  }
}
