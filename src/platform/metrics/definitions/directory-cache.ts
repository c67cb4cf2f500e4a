import { Gauge, type Registry } from 'prom-client';

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
