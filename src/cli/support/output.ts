import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';

const LINES_EVERY = 1_000;

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Exactly as it is, such as what goes into a file. */
export function print(text: string): void {
  process.stdout.write(text);
}

export function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What others typed must not move the cursor or break the line. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

/** Money and other numbers stand to the right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  rightAligned: readonly number[] = [],
): string {
  const drawn = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (rightAligned.includes(column) ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  });
  drawn.push(...rows.map((row) => [...row]));
  return drawn.toString();
}

export interface Progress {
  advance(by?: number): void;
  stop(): void;
}

/** A bar with rate and time left on a terminal, a plain line now and then elsewhere; `total` undefined where nobody knows. */
export function progress(what: string, total: number | undefined, linesEvery = LINES_EVERY): Progress {
  const began = Date.now();
  let done = 0;
  const rate = (): number => Math.round((done * 1_000) / Math.max(1, Date.now() - began));
  if (!process.stderr.isTTY || total === undefined) {
    const line = (): void => {
      complain(`${what}: ${done}${total === undefined ? '' : ` of ${total}`} (${rate()}/s)`);
    };
    return {
      advance: (by = 1) => {
        const before = Math.floor(done / linesEvery);
        done += by;
        if (Math.floor(done / linesEvery) > before) line();
      },
      stop: line,
    };
  }
  const bar = new SingleBar({
    format: `${what} {bar} {percentage}% | {value}/{total} | {rate}/s | {eta_formatted} left`,
    stream: process.stderr,
    hideCursor: true,
    etaBuffer: 1_000,
  });
  bar.start(total, 0, { rate: 0 });
  return {
    advance: (by = 1) => {
      done += by;
      bar.update(done, { rate: rate() });
    },
    stop: () => {
      bar.stop();
    },
  };
}
