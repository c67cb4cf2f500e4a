/** Milliseconds by which the clock of a process that appends may differ from the database's. */
const MAX_APART_MS = 10_000;
/** Milliseconds by which an event may be dated before an earlier one of the log, or before its append. */
const MAX_BEHIND_MS = 60_000;

/** The time of a store as a process computes it, in ms since 1970. */
export interface StoreTime {
  readonly now: number;
  /** Milliseconds by which `now` may be wrong either way. */
  readonly uncertainty: number;
}

/** The times that a process knows when it is about to append, in ms since 1970. */
export interface KnownTimes {
  /** The clock of the process. */
  readonly now: number;
  /** The earliest and the latest date of the events to be appended. */
  readonly dates: { readonly first: number; readonly last: number };
  /** Undefined before the first measurement. */
  readonly database: StoreTime | undefined;
  /** Undefined before this process has appended something, and in programs that never compare clocks. */
  readonly eventStore?: StoreTime | undefined;
  /** The date of the newest event that the process has read; undefined before the first one. */
  readonly newest: number | undefined;
  /** The latest date of an event that the process has read and that is ahead of the database's clock. */
  readonly ahead?: number | undefined;
}

export interface ClockFault {
  readonly kind: 'database' | 'date' | 'log';
  /** Milliseconds by which the clock, or the date of an event, is ahead of what it was compared with. */
  readonly aheadMs: number;
  /** Set if the event store's clock agrees with that of the process, so that the database's alone differs. */
  readonly isDatabaseAlone?: true;
}

/**
 * Returns why events must not be appended now: the clock of the process and the database's differ; the clock was set after an event was
 * dated; or an event would be dated before one that the process has read. An event in the log that is ahead of the database's clock, too,
 * forbids nothing: its own date is wrong, and the next entries of its wallet have to follow it.
 */
export function clockFault({ now, dates: { first, last }, database, eventStore, newest, ahead }: KnownTimes): ClockFault | undefined {
  const apart = database === undefined ? 0 : now - database.now;
  if (database && Math.abs(apart) - database.uncertainty > MAX_APART_MS) {
    const isDatabaseAlone = eventStore !== undefined && Math.abs(now - eventStore.now) + eventStore.uncertainty <= MAX_APART_MS;
    return { kind: 'database', aheadMs: apart, ...(isDatabaseAlone && { isDatabaseAlone }) };
  }
  if (last - now > MAX_APART_MS && last > Math.max(newest ?? 0, ahead ?? 0)) return { kind: 'date', aheadMs: last - now };
  if (now - first > MAX_BEHIND_MS) return { kind: 'date', aheadMs: first - now };
  if (newest === undefined || newest - first <= MAX_BEHIND_MS || isAheadOf(database, newest)) return undefined;
  return { kind: 'log', aheadMs: first - newest };
}

/** Returns whether a date is so far ahead of the database's clock that no process whose clock is right can have written it. */
export function isAheadOf(database: StoreTime | undefined, date: number): boolean {
  return database !== undefined && date - database.now - database.uncertainty > MAX_APART_MS;
}

const DATABASE_ALONE = 'The event store’s clock agrees with that of this process, so correct the clock of the database’s host.';

/** Returns the sentence for operators and callers. */
export function sentenceOf({ kind, aheadMs, isDatabaseAlone }: ClockFault): string {
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'}`;
  switch (kind) {
    case 'database':
      return `The clock of this process is ${seconds} the database’s, so it appends no events until the clocks agree. ${isDatabaseAlone ? DATABASE_ALONE : 'Synchronise both hosts.'}`;
    case 'date':
      return `An event was dated ${seconds} the clock of this process, which was set meanwhile, or the process was paused, so it was not appended. Send the same request again.`;
    case 'log':
      return `An event would be dated ${seconds} the newest one of the log, so it was not appended. Check the clock of this process.`;
  }
}
