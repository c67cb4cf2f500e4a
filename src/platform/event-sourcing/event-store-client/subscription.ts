import { type Readable } from 'node:stream';
import { callFailure, PermanentStoreError, READ_ALL, StoreUnavailable } from './store-errors.js';
import { type ReadResponse } from './messages/read-message.js';

export type ReadCall = Readable & { cancel(): void };

/** A catch-up subscription. It buffers about twice `size` events, and then pauses the call until fewer than `size` are left. */
export class Subscription<Item> {
  private buffered: Item[] = [];
  private failure: Error | undefined;
  private stopped = false;
  private wake: () => void = () => undefined;
  /** Called with the error that ended the call, unless the subscriber stopped it. */
  onFailure: (error: Error) => void = () => undefined;
  /** Called with the events that the subscriber takes. */
  onTaken: (items: readonly Item[]) => void = () => undefined;

  /**
   * @param signal ends the subscription
   * @param itemIn returns what the subscriber wants of a message of the call, or undefined to pass it over
   */
  constructor(
    private readonly call: ReadCall,
    private readonly size: number,
    private readonly signal: AbortSignal,
    itemIn: (response: ReadResponse<unknown>) => Item | undefined,
  ) {
    signal.addEventListener('abort', this.stop, { once: true });
    if (signal.aborted) this.stop();
    const end = (failure = new Error('The subscription ended.')): void => {
      const error = callFailure(failure, READ_ALL);
      const isKnown = error instanceof PermanentStoreError || error instanceof StoreUnavailable;
      this.failure ??= isKnown ? error : new StoreUnavailable(error.message, { cause: error });
      if (!this.stopped) this.onFailure(error);
      this.wake();
    };
    call.on('error', end).on('end', end);
    call.on('data', (response: ReadResponse<unknown>) => {
      const item = itemIn(response);
      if (item === undefined) return;
      this.buffered.push(item);
      if (this.buffered.length >= 2 * size) call.pause();
      this.wake();
    });
  }

  /** Number of buffered events. */
  get length(): number {
    return this.buffered.length;
  }

  /** The newest buffered event. */
  get newest(): Item | undefined {
    return this.buffered.at(-1);
  }

  /** Removes up to `max` buffered events and returns them, oldest first. */
  take(max = Infinity): Item[] {
    const taken = this.buffered.length > max ? this.buffered.splice(0, max) : this.buffered;
    if (taken === this.buffered) this.buffered = [];
    if (this.buffered.length < this.size) this.call.resume();
    this.onTaken(taken);
    return taken;
  }

  /**
   * Waits until an event arrives, `stopWaiting` is called, the subscription is stopped, or `ms` milliseconds have passed.
   * @throws the error that ended the call
   */
  async waitForMore(ms?: number): Promise<void> {
    if (!this.failure && !this.stopped) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (ms !== undefined) timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
    }
    if (this.failure && !this.stopped) throw this.failure;
  }

  /** Ends a pending `waitForMore`. */
  readonly stopWaiting = (): void => {
    this.wake();
  };

  /** Cancels the call and ends a pending `waitForMore`. */
  readonly stop = (): void => {
    this.signal.removeEventListener('abort', this.stop);
    this.stopped = true;
    this.call.cancel();
    this.wake();
  };
}
