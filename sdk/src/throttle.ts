import { type RateLimit } from './last-response.js';

interface Window {
  /** Calls that may still begin. */
  left: number;
  /** Milliseconds of the throttle's clock. */
  readonly endsAt: number;
}

type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/**
 * Delays the calls that the service would refuse with 429, by the `RateLimit` headers of earlier responses. It is no guarantee: other programs
 * may use the same account, and the first calls begin before any response.
 */
export class Throttle {
  #limit = Infinity;
  #lengthMs = 0;
  #window: Window | undefined;
  #inFlight = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(
    private readonly sleep: Sleep,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Waits until a call may begin, at most `longestMs`; rejects with the reason of the signal. Each call must be followed by {@link ended}. */
  async begin(longestMs: number, signal?: AbortSignal): Promise<void> {
    for (let leftMs = longestMs; leftMs > 0;) {
      const window = this.#current();
      if (!window || window.left > 0) break;
      const waitMs = Math.min(Math.max(window.endsAt - this.now(), 0), leftMs);
      await this.sleep(waitMs, signal);
      leftMs -= waitMs;
      // A timer may end a moment early, so the window is over when the first of those who waited for its end goes on.
      if (this.#window === window && leftMs > 0) this.#open(this.#limit, this.#lengthMs);
    }
    if (this.#window) this.#window.left -= 1;
    this.#inFlight += 1;
  }

  /** Notes the end of a call, and what its response said, if there was one. */
  ended(rateLimit: RateLimit | null | undefined): void {
    this.#inFlight -= 1;
    if (!rateLimit) return;
    this.#limit = Math.max(rateLimit.limit, 1);
    this.#lengthMs = rateLimit.resetMs;
    // The service may not have counted the calls in flight yet.
    this.#open(Math.min(rateLimit.remaining, this.#limit - this.#inFlight), rateLimit.resetMs);
  }

  /** Returns the current window; undefined as long as no response has stated a limit. */
  #current(): Window | undefined {
    if (this.#window && this.#window.endsAt <= this.now()) this.#open(this.#limit, this.#lengthMs);
    return this.#window;
  }

  #open(left: number, lengthMs: number): void {
    this.#window = { left, endsAt: this.now() + lengthMs };
  }
}
