/** The message for work on the log, which a second run continues. */
export const INTERRUPTED = 'Stopped. Run the same command again to continue.';

/**
 * Runs `work` with a signal that SIGINT and SIGTERM abort, so that the work can clean up before the process ends.
 * @param message the message of the signal's reason, which the operator reads
 */
export async function interruptible<T>(message: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort(new Error(message));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(stopping.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
