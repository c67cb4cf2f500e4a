/** The end of a call, such as its response, or the end of its caller's connection. */
export interface CallEnd {
  readonly ended: boolean;
  /** Calls the listener when the call ends. Returns a function that removes the listener. */
  onEnd(listener: () => void): () => void;
}

/** The call has its response, or its caller is gone, so that no work must begin for it. PostgreSQL reports a cancelled statement likewise. */
export class CallEnded extends Error {
  override name = 'CallEnded';
  readonly code = '57014';

  constructor() {
    super('The call has ended.');
  }
}

interface Waiter {
  readonly grant: () => void;
}

/**
 * Shares that callers take and give back. A caller has at most `perCaller` of them at a time. Callers that wait take turns, so that one
 * with many calls does not delay the others.
 */
export class Shares {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();
  /** The waiting calls of each caller. The caller that comes first is the next one whose turn it is. */
  private readonly waiting = new Map<string, Waiter[]>();

  constructor(
    private readonly total: number,
    private readonly perCaller: number,
    private readonly timeoutMs: number,
  ) {}

  /** Waits for a share, and returns a function that gives it back. @throws CallEnded, or the driver's error of a pool that stays in use */
  async take(caller: string, call?: CallEnd): Promise<() => void> {
    if (call?.ended) throw new CallEnded();
    if (this.mayTake(caller)) this.note(caller, 1);
    else await this.wait(caller, call);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      this.note(caller, -1);
      this.grantNext();
    };
  }

  private mayTake(caller: string): boolean {
    return this.taken < this.total && (this.takenBy.get(caller) ?? 0) < this.perCaller;
  }

  private note(caller: string, change: 1 | -1): void {
    this.taken += change;
    const left = (this.takenBy.get(caller) ?? 0) + change;
    if (left === 0) this.takenBy.delete(caller);
    else this.takenBy.set(caller, left);
  }

  private async wait(caller: string, call?: CallEnd): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiter = {
      grant: (): void => {
        resolve(undefined);
      },
    };
    const giveUp = (error: Error): void => {
      this.forget(caller, waiter);
      reject(error);
    };
    const timer = setTimeout(() => {
      giveUp(new Error('timeout exceeded when trying to connect'));
    }, this.timeoutMs);
    const stopListening = call?.onEnd(() => {
      giveUp(new CallEnded());
    });
    this.waiting.set(caller, [...(this.waiting.get(caller) ?? []), waiter]);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stopListening?.();
    }
  }

  private grantNext(): void {
    for (const [caller, [first, ...others]] of this.waiting) {
      if (!first || !this.mayTake(caller)) continue;
      this.waiting.delete(caller);
      if (others.length > 0) this.waiting.set(caller, others);
      this.note(caller, 1);
      first.grant();
      return;
    }
  }

  private forget(caller: string, waiter: Waiter): void {
    const left = (this.waiting.get(caller) ?? []).filter((each) => each !== waiter);
    if (left.length > 0) this.waiting.set(caller, left);
    else this.waiting.delete(caller);
  }
}
