import { SingleBar } from 'cli-progress';
import { printError } from './output.js';

const LINES_EVERY = 1_000;

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
