import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';

const LINES_EVERY = 1_000;

/** Writes a line, or several. Text of the stores in it must be {@link printable}, or it could pretend to be a line of its own. */
export function printLine(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`);
}

/** Writes text without a line break, such as the content of a file. */
export function printText(text: string): void {
  process.stdout.write(process.stdout.isTTY ? terminalText(text) : text);
}

/** Writes a line to standard error. */
export function printError(text: string): void {
  process.stderr.write(`${terminalText(text)}\n`);
}

/** Characters with which text of the stores could move a terminal's cursor, change its state or order, or break the line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes control characters, bidirectional overrides and the like as JSON does, such as `\u001b`. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, (character) =>
    character.split('').reduce((escaped, unit) => `${escaped}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`, ''),
  );
}

/** Makes every line {@link printable}. JSON stays the same JSON. */
export function terminalText(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n');
}

/** Draws a table, with {@link printable} cells. @param rightAligned columns with numbers */
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
  drawn.push(...rows.map((row) => row.map((cell) => (typeof cell === 'string' ? printable(cell) : cell))));
  return drawn.toString();
}

export interface Progress {
  advance(by?: number): void;
  stop(): void;
}

/** Shows progress: on a terminal a bar with rate and time left, otherwise a line now and then. @param total undefined if it is unknown */
export function progress(what: string, total: number | undefined, linesEvery = LINES_EVERY): Progress {
  const began = Date.now();
  let done = 0;
  const rate = (): number => Math.round((done * 1_000) / Math.max(1, Date.now() - began));
  if (!process.stderr.isTTY || total === undefined) {
    const line = (): void => {
      printError(`${what}: ${done}${total === undefined ? '' : ` of ${total}`} (${rate()}/s)`);
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
