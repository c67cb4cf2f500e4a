import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type AppendObserver } from '../../event-sourcing/event-store.js';
import { type NewEvent } from '../../event-sourcing/recorded-event.js';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const EVENTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Metrics of the appends of this process. */
export class EventStoreMetrics implements AppendObserver {
  private readonly duration: Histogram<'category'>;
  private readonly batch: Histogram<'category'>;
  private readonly conflicts: Counter<'category'>;
  private readonly resends: Counter;
  private readonly events: Counter<'type'>;
  private readonly watchers: ((event: NewEvent) => void)[] = [];

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.duration = new Histogram({
      name: 'rupa_append_duration_seconds',
      help: 'Time from sending an append to its acknowledgement, including retries, by stream category',
      labelNames: ['category'],
      buckets: SECONDS,
      registers,
    });
    this.batch = new Histogram({
      name: 'rupa_append_events',
      help: 'Number of events in an append, by stream category',
      labelNames: ['category'],
      buckets: EVENTS,
      registers,
    });
    this.conflicts = new Counter({
      name: 'rupa_append_conflicts_total',
      help: 'Appends that failed with a wrong revision because of another writer; in the category contribution also because the reference was reported before',
      labelNames: ['category'],
      registers,
    });
    this.resends = new Counter({
      name: 'rupa_append_resends_total',
      help: 'Appends that were sent again because their outcome was unknown',
      registers,
    });
    this.events = new Counter({
      name: 'rupa_events_appended_total',
      help: 'Events that this process has appended, by type',
      labelNames: ['type'],
      registers,
    });
  }

  /** Calls `watch` for every event that is appended; it must not throw. */
  onEvent(watch: (event: NewEvent) => void): void {
    this.watchers.push(watch);
  }

  /** Exports 0 conflicts from the start, because `increase()` in Prometheus misses the first one of a series that begins at 1. */
  startAtZero(category: string): void {
    this.conflicts.inc({ category }, 0);
  }

  appended(category: string, events: readonly NewEvent[], seconds: number): void {
    this.duration.observe({ category }, seconds);
    this.batch.observe({ category }, events.length);
    for (const event of events) {
      this.events.inc({ type: event.type });
      for (const watch of this.watchers) watch(event);
    }
  }

  conflicted(category: string): void {
    this.conflicts.inc({ category });
  }

  resent(): void {
    this.resends.inc();
  }

  /** Registers a gauge for the open calls of a thread's event store client. */
  watch(eventStore: { readonly openCalls: number }, thread: string): void {
    new Gauge({
      name: 'rupa_event_store_open_calls',
      help: 'Calls to the event store that are in flight',
      labelNames: ['thread'],
      registers: [this.registry],
      collect() {
        this.set({ thread }, eventStore.openCalls);
      },
    });
  }
}
