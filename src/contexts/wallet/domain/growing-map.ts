interface Entry<Value> {
  readonly value: Value;
  /** How many entries were added before this one. */
  readonly index: number;
}

/**
 * An immutable map in the order in which its entries were added. The map that {@link with} returns shares the entries of the one before it, so
 * that adding to the newest map copies nothing; adding to an earlier one, or removing, copies once.
 */
export class GrowingMap<Key, Value> {
  /**
   * @param entries those of this map and of later ones, which have other indexes
   * @param size how many of them belong to this map: the first ones
   */
  private constructor(
    private readonly entries: Map<Key, Entry<Value>>,
    readonly size: number,
  ) {}

  static of<Key, Value>(entries: Iterable<readonly [Key, Value]>): GrowingMap<Key, Value> {
    const own = new Map<Key, Entry<Value>>();
    for (const [key, value] of entries) own.set(key, { value, index: own.get(key)?.index ?? own.size });
    return new GrowingMap(own, own.size);
  }

  get(key: Key): Value | undefined {
    const entry = this.entries.get(key);
    return entry && entry.index < this.size ? entry.value : undefined;
  }

  has(key: Key): boolean {
    return (this.entries.get(key)?.index ?? this.size) < this.size;
  }

  /** Returns the map with another value of the key, which is added last if it is new. */
  with(key: Key, value: Value): GrowingMap<Key, Value> {
    const isNewest = this.entries.size === this.size;
    // Every wallet begins with the same empty map, so none may add to that one.
    if (this.size === 0 || !isNewest || this.entries.has(key)) return GrowingMap.of([...this, [key, value]]);
    this.entries.set(key, { value, index: this.size });
    return new GrowingMap(this.entries, this.size + 1);
  }

  without(keys: readonly Key[]): GrowingMap<Key, Value> {
    const removed = new Set(keys);
    return GrowingMap.of([...this].filter(([key]) => !removed.has(key)));
  }

  *[Symbol.iterator](): Generator<[Key, Value]> {
    for (const [key, { value, index }] of this.entries) {
      if (index >= this.size) return;
      yield [key, value];
    }
  }

  *keys(): Generator<Key> {
    for (const [key] of this) yield key;
  }

  *values(): Generator<Value> {
    for (const [, value] of this) yield value;
  }
}
