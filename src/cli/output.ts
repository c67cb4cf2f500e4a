import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';

const LINES_EVERY = 1_000;

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Money and other numbers stand to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[], rightAligned: readonly number[] = []): string {
  const drawn = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (rightAligned.includes(column) ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  });
  drawn.push(...rows.map((row) => [...row]));
  return drawn.toString();
}

export interface Progress {
  /** By one unless it says otherwise. */
  advance(count?: number): void;
  stop(): void;
}

/** A bar with rate and time left on a terminal, a plain line now and then elsewhere; `total` undefined where nobody knows. */
export function progress(what: string, total: number | undefined): Progress {
  const began = Date.now();
  let done = 0;
  const rate = (): number => Math.round((done * 1_000) / Math.max(1, Date.now() - began));
  if (!process.stderr.isTTY || total === undefined) {
    const line = (): void => {
      complain(`${what}: ${done}${total === undefined ? '' : ` of ${total}`} (${rate()}/s)`);
    };
    return {
      advance: (count = 1) => {
        done += count;
        if (done % LINES_EVERY < count) line();
      },
      stop: line,
    };
  }
  const bar = new SingleBar({ format: `${what} {bar} {percentage}% | {value}/{total} | {rate}/s | {eta_formatted} left`, stream: process.stderr, hideCursor: true, etaBuffer: 1_000 });
  bar.start(total, 0, { rate: 0 });
  return {
    advance: (count = 1) => {
      done += count;
      bar.update(done, { rate: rate() });
    },
    stop: () => {
      bar.stop();
    },
  };
}
