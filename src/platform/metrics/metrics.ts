import { type MetricObject, Registry } from 'prom-client';
import { DeletedRowsMetrics } from './definitions/deleted-rows.js';
import { countDroppedLogLines } from './definitions/log-lines.js';
import { EventStoreMetrics } from './definitions/event-store.js';
import { RowMacMetrics } from './definitions/row-macs.js';
import { ProjectingMetrics } from './definitions/projecting.js';

/** A metric with its values, in the form in which threads exchange it. */
export type CollectedMetric = MetricObject & { readonly values: readonly object[] };

/**
 * The metrics of one thread (docs/observability.md). Each thread has a registry, and the metrics server adds up values with the same name
 * and labels. Labels never hold ids or other values of high cardinality.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly eventStore = new EventStoreMetrics(this.registry);
  readonly projecting = new ProjectingMetrics(this.registry);
  readonly deletedRows = new DeletedRowsMetrics(this.registry);
  readonly rowMacs = new RowMacMetrics(this.registry);
  readonly logLines = countDroppedLogLines(this.registry);
  private readonly refreshers: (() => Promise<void>)[] = [];

  /** Registers a function that is called before each collection. It must not throw, and must return soon. */
  beforeCollect(refresh: () => Promise<void>): void {
    this.refreshers.push(refresh);
  }

  async collect(): Promise<readonly CollectedMetric[]> {
    await Promise.all(this.refreshers.map((refresh) => refresh()));
    const collected = (await this.registry.getMetricsAsJSON()) as unknown as readonly CollectedMetric[];
    // prom-client marks metrics such as the process's start time as "omit", which would drop them from the aggregate.
    return collected.map((metric) => (metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric));
  }
}
