import { Gauge, type Registry } from 'prom-client';

interface Counted {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/**
 * Registers gauges for the connections of a pool, which are read at each scrape.
 * @param name value of the label `pool`: the thread of the pool
 */
export function watchPool(registry: Registry, pool: Counted, name: string): void {
  const registers = [registry];
  const gauge = (metric: string, help: string, read: () => number): void => {
    new Gauge({
      name: metric,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        this.set({ pool: name }, read());
      },
    });
  };
  gauge('rupa_database_connections_used', 'Connections of the pool that are in use', () => pool.totalCount - pool.idleCount);
  gauge('rupa_database_connections_idle', 'Idle connections of the pool', () => pool.idleCount);
  gauge('rupa_database_connections_max', 'Maximum number of connections of the pool', () => pool.options.max);
  gauge('rupa_database_connections_waiting', 'Callers that wait for a connection of the pool', () => pool.waitingCount);
}
