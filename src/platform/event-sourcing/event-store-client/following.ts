import { type Readable } from 'node:stream';
import { type StoredEvent } from '../recorded-event.js';
import { type ReadResponse } from './read-response.js';

export type ReadCall = Readable & { cancel(): void };

/** The log after a position, for ever. Twice `size` events may wait here; the rest stays with the store. */
export class Following {
  private waiting: StoredEvent[] = [];
  private failure: Error | undefined;
  private stopped = false;
  private wake: () => void = () => undefined;

  /** @param signal stops it */
  constructor(
    private readonly call: ReadCall,
    private readonly size: number,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.stop, { once: true });
    if (signal.aborted) this.stop();
    const end = (failure = new Error('The subscription ended.')): void => {
      this.failure ??= failure;
      this.wake();
    };
    call.on('error', end).on('end', end);
    call.on('data', ({ entry }: ReadResponse) => {
      if (!entry?.event) return;
      this.waiting.push(entry.event);
      if (this.waiting.length >= 2 * size) call.pause();
      this.wake();
    });
  }

  /** How many events wait to be taken. */
  get length(): number {
    return this.waiting.length;
  }

  get newest(): StoredEvent | undefined {
    return this.waiting.at(-1);
  }

  /** What has come, oldest first; no more than `max`. */
  take(max = Infinity): StoredEvent[] {
    const taken = this.waiting.length > max ? this.waiting.splice(0, max) : this.waiting;
    if (taken === this.waiting) this.waiting = [];
    if (this.waiting.length < this.size) this.call.resume();
    return taken;
  }

  /** Until there may be more to take or it was stopped; at the latest after so many ms, where they are given. @throws what ended the call */
  async more(ms?: number): Promise<void> {
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

  /** Ends the call and whoever waits for more. */
  readonly stop = (): void => {
    this.signal.removeEventListener('abort', this.stop);
    this.stopped = true;
    this.call.cancel();
    this.wake();
  };
}
