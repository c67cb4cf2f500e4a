import { Gauge, type Registry } from 'prom-client';

interface Counted {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/** Connections of a pool, read as they are asked for. @param name each thread has a pool of its own. */
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
  gauge('rupa_database_connections_used', 'Connections of the pool at work', () => pool.totalCount - pool.idleCount);
  gauge('rupa_database_connections_idle', 'Connections of the pool that wait for work', () => pool.idleCount);
  gauge('rupa_database_connections_max', 'Connections that the pool may have', () => pool.options.max);
  gauge('rupa_database_connections_waiting', 'Work that waits for a connection of the pool', () => pool.waitingCount);
}
