/** The message for work on the log, which continues from where it stopped when it is run again. */
export const INTERRUPTED = 'Stopped; the same command goes on where it was.';

/**
 * Runs `work` with a signal that SIGINT and SIGTERM abort, so that the work can clean up before the process ends.
 * @param message what the operator reads then; it is the message of the signal's reason
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
