import { writeSync } from 'node:fs';

/** How long a line waits for a reader that is slow, before it is dropped. */
const BUSY_MS = 1_000;
const BUSY_PAUSE_MS = 10;
const LINE_FEED = 0x0a;

type Write = (fd: number, bytes: Buffer, offset: number) => number;

let dropped = 0;

/** Returns how many lines of the log this thread could not write. */
export function droppedLogLines(): number {
  return dropped;
}

/**
 * Writes lines to a file descriptor at once. A line that cannot be written, such as on a full disk, is dropped and counted, because no log is
 * worth the service. The first line that can be written again says how many are missing.
 */
export class LogOutput {
  private missing = 0;
  private reason = '';
  /** Whether the last line was written in part, so that the next one must begin on a line of its own. */
  private isCut = false;

  constructor(
    private readonly fd: number,
    private readonly tryWrite: Write = writeSync,
  ) {}

  write(line: string): void {
    try {
      if (this.isCut) this.writeAll(Buffer.of(LINE_FEED));
      this.isCut = false;
      if (this.missing > 0) this.writeAll(Buffer.from(this.gap()));
      this.missing = 0;
      this.writeAll(Buffer.from(line));
    } catch (error) {
      dropped += 1;
      this.missing += 1;
      this.reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
    }
  }

  private writeAll(bytes: Buffer): void {
    for (let written = 0; written < bytes.length; this.isCut = written < bytes.length) written += this.writeSome(bytes, written);
  }

  private writeSome(bytes: Buffer, from: number): number {
    // Once lines are being dropped, no further line waits.
    for (let waited = this.missing > 0 ? BUSY_MS : 0; ; waited += BUSY_PAUSE_MS) {
      try {
        return this.tryWrite(this.fd, bytes, from);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waited >= BUSY_MS) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS);
      }
    }
  }

  private gap(): string {
    const msg = `${this.missing} lines of the log before this one could not be written (${this.reason})`;
    return `${JSON.stringify({ level: 40, time: new Date().toISOString(), name: 'rupa', dropped: this.missing, msg })}\n`;
  }
}
