import DataLoader from 'dataloader';

/** Milliseconds after which a running statement no longer holds up the next one. */
const SLOW_MS = 20;
/** Milliseconds for which a statement waits for keys of calls that are under way. */
const GATHER_MS = 4;
/** A statement does not wait once it has the keys of one in this many of the calls under way. */
const ENOUGH = 3;

export interface StatementQueueOptions {
  /** The largest number of keys of a statement. */
  readonly maxKeys: number;
  /**
   * Returns how many calls are under way that may ask for a key, or have asked for one and do something else by now. None by default: then
   * no statement waits for further keys.
   */
  readonly underWay?: () => number;
}

/**
 * Reads the keys of concurrent calls together, because one large statement is much cheaper than several small ones. Statements run one after
 * another: the next one starts when the previous one has ended or has run for 20 ms, with the keys that have arrived meanwhile. While many
 * calls are under way, it waits a few milliseconds for more of them. A call that is alone never waits.
 * What is shared need not be a statement: changes that other APIs are told of share a call in the same way (read-your-writes.ts).
 */
export class StatementQueue<Key, Value> {
  private readonly loader: DataLoader<Key, Value>;
  private readonly enough: () => number;
  /** Statements that are starting or running, and still hold up the next one. */
  private blocking = 0;
  private readonly waiting: (() => void)[] = [];
  /** Number of keys that no statement has taken yet. */
  private keys = 0;
  /** Starts the statement that waits for further keys. */
  private startGathering: (() => void) | undefined;

  /** @param read runs the statement, and returns the value of each key in turn, or an error that fails the calls for this key only */
  constructor(read: (keys: readonly Key[]) => Promise<(Value | Error)[]>, { maxKeys, underWay = () => 0 }: StatementQueueOptions) {
    this.enough = () => Math.min(Math.floor(underWay() / ENOUGH), maxKeys);
    this.loader = new DataLoader(
      (keys: readonly Key[]) => {
        this.keys -= keys.length;
        return this.run(() => read(keys));
      },
      {
        cache: false,
        maxBatchSize: maxKeys,
        batchScheduleFn: (start) => {
          this.schedule(start);
        },
      },
    );
  }

  async load(key: Key): Promise<Value> {
    const value = this.loader.load(key);
    this.arrived(1);
    return await value;
  }

  /** Returns the values in the order of the keys, with errors in their places. */
  async loadMany(keys: readonly Key[]): Promise<(Value | Error)[]> {
    const values = this.loader.loadMany(keys);
    this.arrived(keys.length);
    return await values;
  }

  private arrived(count: number): void {
    this.keys += count;
    if (this.keys >= this.enough()) this.startGathering?.();
  }

  private schedule(start: () => void): void {
    // A batch follows one that waits only if that one is full.
    this.startGathering?.();
    if (this.blocking === 0) this.gather(start);
    else this.waiting.push(start);
  }

  /** Starts a statement if it has enough keys, else when it has or has waited for long enough. */
  private gather(start: () => void): void {
    if (this.keys >= this.enough()) {
      this.start(start);
      return;
    }
    const startOnce = (): void => {
      clearTimeout(timer);
      this.startGathering = undefined;
      this.start(start);
    };
    const timer = setTimeout(startOnce, GATHER_MS);
    this.startGathering = startOnce;
  }

  /** Starts a statement in the next turn of the event loop, so that it has the keys of this one. */
  private start(start: () => void): void {
    this.blocking += 1;
    setImmediate(start);
  }

  /** Runs a statement that was started. */
  private async run<T>(statement: () => Promise<T>): Promise<T> {
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.blocking -= 1;
      const next = this.waiting.shift();
      if (next) this.gather(next);
    };
    const slow = setTimeout(release, SLOW_MS);
    try {
      return await statement();
    } finally {
      clearTimeout(slow);
      release();
    }
  }
}
