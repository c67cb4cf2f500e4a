const DAY_MS = 86_400_000;

/** The times from which it follows when a checkpoint is due, ISO 8601, UTC. */
export interface CheckpointTimes {
  /** When the last checkpoint was made; null before the first. */
  readonly last: string | null;
  /** The first day with a movement of money; null before it. */
  readonly firstMovement: string | null;
}

/**
 * Returns since when a checkpoint has been due, or will be: the beginning of the day (UTC) after the last one or, before the first, after
 * the first day on which money moved. Undefined if nothing has moved yet.
 */
export function dueSince({ last, firstMovement }: CheckpointTimes): Date | undefined {
  const from = last ?? firstMovement;
  return from === null ? undefined : new Date((Math.floor(Date.parse(from) / DAY_MS) + 1) * DAY_MS);
}

/** Returns for how many seconds a checkpoint has been due; 0 if none is. */
export function secondsOverdue(times: CheckpointTimes, now: Date): number {
  const due = dueSince(times);
  return due === undefined ? 0 : Math.max(0, (now.getTime() - due.getTime()) / 1_000);
}
