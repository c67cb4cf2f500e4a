import { type Pool } from 'pg';
import { collectDefaultMetrics } from 'prom-client';
import { type EventStore } from '../event-sourcing/event-store.js';
import { watchPools } from './definitions/database.js';
import { type Metrics } from './metrics.js';

export type Thread = 'main' | 'background';

/** The store clients of a thread. */
export interface StoreClients {
  readonly pool: Pool;
  /** The pool of free calls, if it is another one. */
  readonly freeCalls?: Pool;
  readonly eventStore: EventStore;
}

export function watchStores(
  { registry, eventStore: metrics }: Metrics,
  { pool, freeCalls, eventStore }: StoreClients,
  thread: Thread,
): void {
  watchPools(registry, { [thread]: pool, ...(freeCalls ? { free: freeCalls } : {}) });
  metrics.watch(eventStore, thread);
}

/** Registers metrics of this thread's event loop, heap and garbage collection. Only the main thread registers those of the process. */
export function watchRuntime({ registry }: Metrics, thread: Thread): void {
  collectDefaultMetrics({ register: registry, labels: { thread } });
  if (thread === 'main') return;
  const ofProcess = registry
    .getMetricsAsArray()
    .map(({ name }) => name)
    .filter((name) => name.startsWith('process_') || name === 'nodejs_version_info');
  for (const name of ofProcess) registry.removeSingleMetric(name);
}
