import { type Clock } from '../../../kernel/clock.js';
import { StoreUnavailable } from '../event-store-client/store-errors.js';
import { type NewEvent, type StoredEvent } from '../recorded-event.js';
import { categoryOf } from '../stream-kind.js';

/** Milliseconds by which the clock of a process that appends may differ from the database's. */
const MAX_APART_MS = 10_000;
/** Milliseconds by which an event may be dated before an earlier one of the log, or before its append. */
const MAX_BEHIND_MS = 60_000;

/** The time of a store as a process computes it, in ms since 1970. */
interface StoreTime {
  readonly now: number;
  /** Milliseconds by which `now` may be wrong either way. */
  readonly uncertainty: number;
}

/** The times that a process knows when it is about to append, in ms since 1970. */
interface KnownTimes {
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

/** This process appends nothing, because its clock is wrong. Nothing was appended. */
export class ClockWrong extends StoreUnavailable {
  override name = 'ClockWrong';

  constructor(readonly fault: ClockFault) {
    super(sentenceOf(fault));
  }
}

/** A measurement of a store's clock. */
export interface ClockSample {
  readonly storeMs: number;
  /** When the store's clock showed that, on the stopwatch of the process. */
  readonly elapsedMs: number;
  readonly uncertaintyMs: number;
}

/** An event whose date is ahead of the database's clock. A stream's name may hold a Rupa ID, so only the category is given. */
export interface EventAhead {
  readonly category: string;
  readonly position: bigint;
  readonly recordedAt: string;
}

/** Events that this process has appended. */
interface Appended {
  readonly stream: string;
  readonly events: readonly Pick<NewEvent, 'data'>[];
  readonly position: bigint;
  /** When the append began, on the stopwatch of the process. */
  readonly startedMs: number;
}

/** An append of this process, whose `created` shows the event store's clock at that time. */
export interface DatedAppend extends Omit<ClockSample, 'storeMs'> {
  readonly position: bigint;
}

type Dated = Pick<StoredEvent, 'stream' | 'position' | 'data'>;

/** Appends that took longer say too little about the event store's clock. */
const MAX_UNCERTAINTY_MS = 1_000;
/** How often an append is read again for the event store's clock. */
const MEASURED_EVERY_MS = 60_000;

/** The format of dates in events. Their order is that of the texts. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Keeps a process from dating events wrongly (docs/adr/0045). It compares the clock with the database's, whose time it carries forward from
 * the last measurement with the stopwatch of the process, so that a clock that is set is noticed before the next append.
 */
export class ClockGuard {
  private database: ClockSample | undefined;
  private eventStore: ClockSample | undefined;
  private append: DatedAppend | undefined;
  private newest = '';
  private ahead: EventAhead | undefined;

  /**
   * @param compares whether appends are checked from the start. Programs that never compare the clocks, such as one that generates a history
   *   of months, date events as they mean to.
   */
  constructor(
    private readonly clock: Clock,
    private compares = true,
  ) {}

  /** Checks all later appends. */
  begin(): void {
    this.compares = true;
  }

  databaseMeasured(sample: ClockSample): void {
    this.database = sample;
  }

  noteAppend({ stream, events, position, startedMs }: Appended): void {
    this.noteEvents(events.map(({ data }) => ({ stream, position, data })));
    const uncertaintyMs = (this.clock.elapsedMs() - startedMs) / 2;
    if (uncertaintyMs <= MAX_UNCERTAINTY_MS) this.append = { position, elapsedMs: startedMs + uncertaintyMs, uncertaintyMs };
  }

  /** Takes the last append, which is returned once; undefined while a recent one has shown the event store's clock already. */
  takeAppend(): DatedAppend | undefined {
    const { append, eventStore } = this;
    if (append && eventStore && append.elapsedMs - eventStore.elapsedMs < MEASURED_EVERY_MS) return undefined;
    this.append = undefined;
    return append;
  }

  eventStoreMeasured(sample: ClockSample): void {
    this.eventStore = sample;
  }

  /** Notes events that this process has read or appended. */
  noteEvents(events: readonly Dated[]): void {
    for (const event of events) {
      const { recorded_at: date } = event.data as { readonly recorded_at?: unknown };
      if (typeof date !== 'string' || date <= this.newest || !DATE.test(date)) continue;
      if (!isAheadOf(this.timeOf(this.database), Date.parse(date))) this.newest = date;
      else if (date > (this.ahead?.recordedAt ?? ''))
        this.ahead = { category: categoryOf(event.stream), position: event.position, recordedAt: date };
    }
  }

  /** @throws ClockWrong if the events must not be appended now */
  check(events: readonly Pick<NewEvent, 'data'>[]): void {
    if (!this.compares) return;
    const dates = events.flatMap(({ data: { recorded_at: date } }) => (typeof date === 'string' && DATE.test(date) ? [date] : []));
    const fault = this.faultOf(dates.sort());
    if (fault) throw new ClockWrong(fault);
  }

  /** Returns the sentence that says why this process appends nothing at present; undefined if its clock is right. */
  fault(): string | undefined {
    const fault = this.faultOf([]);
    return fault && sentenceOf(fault);
  }

  /** Returns the event with the latest date of those that this process has read and that are still ahead of the database's clock. */
  eventAhead(): EventAhead | undefined {
    const { ahead } = this;
    return ahead && isAheadOf(this.timeOf(this.database), Date.parse(ahead.recordedAt)) ? ahead : undefined;
  }

  /** @param dates in ascending order */
  private faultOf(dates: readonly string[]): ClockFault | undefined {
    const now = this.clock.now().getTime();
    const [database, eventStore] = [this.timeOf(this.database), this.timeOf(this.eventStore)];
    const [first = now, last = now] = [dates[0], dates.at(-1)].map((date) => (date === undefined ? undefined : Date.parse(date)));
    const newest = this.newest === '' ? undefined : Date.parse(this.newest);
    const ahead = this.ahead && Date.parse(this.ahead.recordedAt);
    return clockFault({ now, dates: { first, last }, database, eventStore, newest, ahead });
  }

  private timeOf(sample: ClockSample | undefined): StoreTime | undefined {
    if (!sample) return undefined;
    return { now: sample.storeMs + this.clock.elapsedMs() - sample.elapsedMs, uncertainty: sample.uncertaintyMs };
  }
}
