import { constants } from 'node:os';
import { DamagedLog } from './storing/damaged-log.js';

/** How the log reports events that concern no single call. */
export interface LogObserver {
  /** Receives a sentence for the operator. */
  notice(this: void, text: string): void;
  /** The disk failed and its state is unknown. The process must end, so that the next start reads what the disk has. */
  failed(this: void, error: Error): void;
}

/** Milliseconds between two attempts to write to a full disk. */
const RETRY_MS = 500;
/** Codes of Node, and the numbers that LMDB's errors have instead. */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT', constants.errno.ENOSPC, constants.errno.EDQUOT];

export const STDERR: LogObserver = {
  notice: (text) => process.stderr.write(`${text}\n`),
  failed: (error) => {
    setImmediate(() => {
      throw error;
    });
  },
};

/** The disk has no room for an append. Nothing of the append is stored. */
export class DiskFull extends Error {
  override name = 'DiskFull';
}

/**
 * Closes when the disk fails. It opens again once a full disk has room; after any other failure the state of the disk is unknown, and
 * further appends could contradict it. A damaged log that a read meets closes it, too, until somebody restores the log.
 */
export class AppendGate {
  private closed: Error | undefined;
  private retry: NodeJS.Timeout | undefined;

  /** @param recover writes what is only in memory and in the journal to the disk. It throws while the disk has no room. */
  constructor(
    private readonly path: string,
    private readonly observer: LogObserver,
    private readonly recover: () => void,
  ) {}

  /** Why no append is accepted at present; undefined if appends are accepted. */
  get refusal(): Error | undefined {
    return this.closed;
  }

  /** Closes the gate because of an error of the disk or a damaged log. @returns the error for the appends that are refused */
  refuse(cause: unknown): Error {
    if (this.closed instanceof DamagedLog) return this.closed;
    if (cause instanceof DamagedLog) {
      // Decisions would rely on a log that is not the one that was written.
      this.close();
      this.closed = cause;
      this.observer.notice(cause.message);
      return cause;
    }
    const isFull = FULL.includes((cause as { code?: unknown } | undefined)?.code);
    this.closed = isFull
      ? new DiskFull(
          `The disk of the event store in ${this.path} is full: it accepts no appends until there is room again. Free space on that disk.`,
          { cause },
        )
      : new Error(`The disk of the event store in ${this.path} failed${codeOf(cause)}: it accepts no appends until it is restarted.`, {
          cause,
        });
    this.close();
    if (isFull) {
      this.retry = setInterval(() => {
        this.reopen();
      }, RETRY_MS);
      this.observer.notice(this.closed.message);
    } else this.observer.failed(this.closed);
    return this.closed;
  }

  close(): void {
    clearInterval(this.retry);
  }

  private reopen(): void {
    try {
      this.recover();
    } catch (error) {
      if (!FULL.includes((error as { code?: unknown }).code)) this.refuse(error);
      return;
    }
    this.close();
    this.closed = undefined;
    this.observer.notice(`The disk of the event store in ${this.path} has room again: it accepts appends.`);
  }
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? ` (${code})` : '';
}
