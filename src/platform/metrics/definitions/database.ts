import { Gauge, type Registry } from 'prom-client';

interface Counted {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/**
 * Registers gauges for the connections of pools, which are read at each scrape.
 * @param pools by the value of the label `pool`: the thread of the pool, or `free` for that of free calls
 */
export function watchPools(registry: Registry, pools: Readonly<Record<string, Counted>>): void {
  const registers = [registry];
  const gauge = (metric: string, help: string, read: (pool: Counted) => number): void => {
    new Gauge({
      name: metric,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, counted] of Object.entries(pools)) this.set({ pool }, read(counted));
      },
    });
  };
  gauge('rupa_database_connections_used', 'Connections of the pool that are in use', ({ totalCount, idleCount }) => totalCount - idleCount);
  gauge('rupa_database_connections_idle', 'Idle connections of the pool', ({ idleCount }) => idleCount);
  gauge('rupa_database_connections_max', 'Maximum number of connections of the pool', ({ options }) => options.max);
  gauge('rupa_database_connections_waiting', 'Callers that wait for a connection of the pool', ({ waitingCount }) => waitingCount);
}
