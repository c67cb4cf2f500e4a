import { Counter, Histogram, type Registry, Gauge } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const EVENTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000];

/** Metrics of the projector; they have values only in the process that runs it. */
export class ProjectingMetrics {
  private readonly duration: Histogram;
  private readonly batch: Histogram;
  private readonly faults: Counter<'projection'>;
  private readonly foreign: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.duration = new Histogram({
      name: 'rupa_projection_batch_duration_seconds',
      help: 'Duration of the transaction that applies a batch of events to the read models',
      buckets: SECONDS,
      registers,
    });
    this.batch = new Histogram({
      name: 'rupa_projection_batch_events',
      help: 'Number of events in a batch that was applied to the read models',
      buckets: EVENTS,
      registers,
    });
    this.faults = new Counter({
      name: 'rupa_projection_faults_total',
      help: 'Events that a projection could not apply, at each of which it stopped',
      labelNames: ['projection'],
      registers,
    });
    this.foreign = new Counter({
      name: 'rupa_foreign_events_total',
      help: 'Events in streams that are not the service’s, which the projector passed over',
      registers,
    });
  }

  /** Exports 0 faults from the start, because `increase()` in Prometheus misses the first one of a series that begins at 1. */
  startAtZero(projections: readonly string[]): void {
    for (const projection of projections) this.faults.inc({ projection }, 0);
  }

  applied(events: number, seconds: number): void {
    this.duration.observe(seconds);
    this.batch.observe(events);
  }

  passedOver(foreign: number): void {
    this.foreign.inc(foreign);
  }

  faulted(projection: string): void {
    this.faults.inc({ projection });
  }
}

/** Registers a gauge that tells whether this process may use its caches of partners, API keys and prices. */
export function watchDirectoryCache(registry: Registry, listener: { readonly live: boolean }): void {
  new Gauge({
    name: 'rupa_directory_cache_usable',
    help: '1 while the process hears changes of partners, API keys and prices and caches them; 0 while it reads them for every request',
    registers: [registry],
    collect() {
      this.set(listener.live ? 1 : 0);
    },
  });
}
