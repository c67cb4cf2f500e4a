export interface Usage {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

interface Window {
  calls: number;
  /** Milliseconds of the counter's clock. */
  readonly endsAt: number;
}

/** More callers than any instance serves in a window. Beyond it, the counter forgets the callers whose windows end first. */
const MAX_CALLERS = 100_000;

/**
 * Counts the calls of each caller in fixed windows, which begin with a caller's first call. Its memory is bounded, and a change of the wall
 * clock affects no window.
 */
export class CallCounter {
  /** All windows are equally long, so the one that began first ends first. */
  private readonly windows = new Map<string, Window>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly maxCallers = MAX_CALLERS,
  ) {}

  /** The number of callers that the counter remembers. */
  get callers(): number {
    return this.windows.size;
  }

  /** Counts a call. */
  count(caller: string): Usage {
    const now = this.now();
    const window = this.windowOf(caller, now) ?? this.begin(caller, now);
    window.calls += 1;
    return this.usageIn(window, now);
  }

  private windowOf(caller: string, now: number): Window | undefined {
    const window = this.windows.get(caller);
    return window && window.endsAt > now ? window : undefined;
  }

  private usageIn({ calls, endsAt }: Window, now: number): Usage {
    return {
      limit: this.limit,
      left: Math.max(this.limit - calls, 0),
      resetSeconds: Math.max(1, Math.ceil((endsAt - now) / 1_000)),
      exceeded: calls > this.limit,
    };
  }

  private begin(caller: string, now: number): Window {
    this.windows.delete(caller);
    for (const [other, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < this.maxCallers) break;
      this.windows.delete(other);
    }
    const window = { calls: 0, endsAt: now + this.windowMs };
    this.windows.set(caller, window);
    return window;
  }
}
