/** Milliseconds by which the clock of a process that appends may differ from the database's. */
const MAX_APART_MS = 10_000;
/** Milliseconds by which an event may be dated before an earlier one of the log. */
const MAX_BEHIND_LOG_MS = 60_000;

/** The database's time as a process computes it, in ms since 1970. */
export interface DatabaseTime {
  readonly now: number;
  /** Milliseconds by which `now` may be wrong either way. */
  readonly uncertainty: number;
}

/** The times that a process knows when it is about to append, in ms since 1970. */
export interface KnownTimes {
  /** The clock of the process. */
  readonly now: number;
  /** The date of the oldest event to be appended. */
  readonly recordedAt: number;
  /** Undefined before the first measurement. */
  readonly database: DatabaseTime | undefined;
  /** The date of the newest event that the process has read; undefined before the first one. */
  readonly newest: number | undefined;
}

export interface ClockFault {
  readonly kind: 'database' | 'log';
  /** Milliseconds by which the clock, or the date of an event, is ahead of what it was compared with. */
  readonly aheadMs: number;
}

/**
 * Returns why an event must not be appended now: the clock of the process and the database's differ, or the event would be dated before one
 * that the process has read. An event that is ahead of the database's clock, too, forbids nothing: its own date is wrong.
 */
export function clockFault({ now, recordedAt, database, newest }: KnownTimes): ClockFault | undefined {
  const apart = database === undefined ? 0 : now - database.now;
  if (database && Math.abs(apart) - database.uncertainty > MAX_APART_MS) return { kind: 'database', aheadMs: apart };
  if (newest === undefined || newest - recordedAt <= MAX_BEHIND_LOG_MS || isAheadOf(database, newest)) return undefined;
  return { kind: 'log', aheadMs: recordedAt - newest };
}

/** Returns whether a date is so far ahead of the database's clock that no process whose clock is right can have written it. */
export function isAheadOf(database: DatabaseTime | undefined, date: number): boolean {
  return database !== undefined && date - database.now - database.uncertainty > MAX_APART_MS;
}

/** Returns the sentence for operators and callers. */
export function sentenceOf({ kind, aheadMs }: ClockFault): string {
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'}`;
  return kind === 'database'
    ? `The clock of this process is ${seconds} the database’s, so it appends no events until the clocks agree. Synchronise both hosts.`
    : `An event would be dated ${seconds} the newest one of the log, so it was not appended. Check the clock of this process.`;
}
