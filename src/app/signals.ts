import { constants } from 'node:os';

/** The terminal sends a Ctrl-C to npm and to its child, and npm forwards it: signals this close together count as one. */
const SAME_SIGNAL_MS = 500;
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns an AbortSignal that the first stop signal of the process aborts. A second one calls `onSecond`, which exits at once. */
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
