/** The newest values of a series, of which the oldest makes room for the next. */
export class RingBuffer<T> {
  private readonly slots: T[] = [];
  private next = 0;

  constructor(private readonly capacity: number) {}

  push(value: T): void {
    this.slots[this.next] = value;
    this.next = (this.next + 1) % this.capacity;
  }

  /** Returns the values, oldest first. */
  values(): readonly T[] {
    return this.slots.length < this.capacity ? [...this.slots] : [...this.slots.slice(this.next), ...this.slots.slice(0, this.next)];
  }
}

interface Timed {
  readonly atMs: number;
}

const MINUTE_MS = 60_000;

/** Returns a counter's increase a minute before each sample; null for the first one. A counter that has fallen began again at zero. */
export function ratesPerMinute<T extends Timed>(samples: readonly T[], counter: (sample: T) => number): readonly (number | null)[] {
  return samples.map((sample, index) => {
    const before = samples[index - 1];
    if (!before || sample.atMs <= before.atMs) return null;
    return (increase(counter(before), counter(sample)) * MINUTE_MS) / (sample.atMs - before.atMs);
  });
}

/** Returns a counter's increase over all samples. */
export function increaseOver<T>(samples: readonly T[], counter: (sample: T) => number): number {
  return samples.reduce((sum, sample, index) => {
    const before = samples[index - 1];
    return before ? sum + increase(counter(before), counter(sample)) : sum;
  }, 0);
}

/** Returns the samples of the last `ms` milliseconds before the newest one. */
export function newest<T extends Timed>(samples: readonly T[], ms: number): readonly T[] {
  const last = samples.at(-1)?.atMs ?? 0;
  return samples.filter(({ atMs }) => atMs >= last - ms);
}

function increase(before: number, after: number): number {
  return after >= before ? after - before : after;
}
