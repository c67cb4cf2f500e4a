import { LRUCache } from 'lru-cache';
import { type ReadModelListener } from './read-model-listener.js';

/**
 * Caches partners, API keys or prices until the projector notifies of a change in any of them. While notifications could be missed,
 * every value is read again.
 */
export class DirectoryCache<V extends object> {
  private readonly cached: LRUCache<string, V>;
  private generation = 0;

  constructor(
    private readonly listener: ReadModelListener,
    max: number,
  ) {
    this.cached = new LRUCache({ max });
    listener.onDirectoryChanged(() => {
      this.generation += 1;
      this.cached.clear();
    });
  }

  /** Returns the cached value or reads it. A value for which `isCacheable` returns false is not cached. */
  async get(key: string, read: () => Promise<V>, isCacheable: (value: V) => boolean = () => true): Promise<V> {
    const cached = this.listener.live ? this.cached.get(key) : undefined;
    if (cached) return cached;
    const { generation } = this;
    const value = await read();
    // If a change was notified during the read, the value may be the old one.
    if (this.listener.live && generation === this.generation && isCacheable(value)) this.cached.set(key, value);
    return value;
  }
}
