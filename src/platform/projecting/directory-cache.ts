import { LRUCache } from 'lru-cache';
import { type ReadModelListener } from './read-model-listener.js';

/** Keeps what was read of partners, keys or prices until the projector says that some changed; nothing, while such news could be missed. */
export class DirectoryCache<V extends object> {
  private readonly held: LRUCache<string, V>;
  private generation = 0;

  constructor(
    private readonly listener: ReadModelListener,
    max: number,
  ) {
    this.held = new LRUCache({ max });
    listener.onDirectoryChanged(() => {
      this.generation += 1;
      this.held.clear();
    });
  }

  /** What `keep` refuses is read again each time. */
  async get(key: string, read: () => Promise<V>, keep: (value: V) => boolean = () => true): Promise<V> {
    const held = this.listener.live ? this.held.get(key) : undefined;
    if (held) return held;
    const { generation } = this;
    const value = await read();
    // A change that came while it was read may not be in it.
    if (this.listener.live && generation === this.generation && keep(value)) this.held.set(key, value);
    return value;
  }
}
