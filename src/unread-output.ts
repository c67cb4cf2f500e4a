/**
 * Lets the process finish its work when its output can no longer be written; without a listener, Node would end it with a stack trace. A
 * reader that is gone, as in `rupa partners list | head -1`, is no failure. Anything else, such as a full disk, is reported once on standard
 * error, and the exit code is 1 unless the process sets another.
 */
export function outliveReaders(): void {
  let isReported = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isReported) return;
    isReported = true;
    process.exitCode = 1;
    process.stderr.write(`Standard output cannot be written (${message}); what was to be printed there is lost.\n`);
  });
  process.stderr.on('error', () => undefined);
}
