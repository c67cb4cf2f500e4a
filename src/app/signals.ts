import { constants } from 'node:os';

/** npm hands a Ctrl-C on to its child, which the terminal has told already. */
const SAME_SIGNAL_MS = 500;
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal asks the process to finish and end; a second one ends it at once. Aborted at the first, for good. */
export function stopSignal(onSecond: (exitCode: number) => void): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  for (const signal of STOPPING) {
    process.on(signal, () => {
      if (!stopping.signal.aborted) {
        firstAt = performance.now();
        stopping.abort();
      } else if (performance.now() - firstAt >= SAME_SIGNAL_MS) {
        onSecond(128 + constants.signals[signal]);
      }
    });
  }
  return stopping.signal;
}
