/** The times from which it follows when a checkpoint is due, ISO 8601, UTC. */
export interface CheckpointTimes {
  /** When the last checkpoint was signed; null before the first. */
  readonly last: string | null;
  /** When the first event after the last checkpoint was recorded that is neither a checkpoint nor a key; null if there is none. */
  readonly firstEvent: string | null;
}

/**
 * Returns since when a checkpoint has been due, or will be: `everySeconds` after the last one or, before the first, after the first event.
 * Undefined if nothing has been appended that the last one does not cover.
 */
export function dueSince({ last, firstEvent }: CheckpointTimes, everySeconds: number): Date | undefined {
  if (firstEvent === null) return undefined;
  const [due, event] = [Date.parse(last ?? firstEvent) + everySeconds * 1_000, Date.parse(firstEvent)];
  return new Date(Math.max(due, event));
}

/** Returns for how many seconds a checkpoint has been due; 0 if none is. */
export function secondsOverdue(times: CheckpointTimes, everySeconds: number, now: Date): number {
  const due = dueSince(times, everySeconds);
  return due === undefined ? 0 : Math.max(0, (now.getTime() - due.getTime()) / 1_000);
}
