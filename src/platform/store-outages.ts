import { databaseOutage } from './database/database-outage.js';
import { ClockWrong, OutcomeUnknown, StoreUnavailable } from './event-sourcing/event-store.js';

/** An outage counts as over when nothing has failed for this long. */
const OVER_AFTER_MS = 30_000;

/** Tells the first failure of an outage from those that follow, so that an outage is logged once and not with every request. */
export class Outages {
  private readonly lastFailedAt = new Map<string, number>();

  /** @param now milliseconds of a clock that only moves forward */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Notes an error. Returns false if it belongs to an outage that an earlier error began. */
  isNew(error: unknown): boolean {
    const reason = storeOutage(error);
    if (reason === undefined) return true;
    const [last, now] = [this.lastFailedAt.get(reason), this.now()];
    this.lastFailedAt.set(reason, now);
    return last === undefined || now - last > OVER_AFTER_MS;
  }
}

/** Returns why a store cannot serve at present, as a sentence without names or data; undefined for every error that is not an outage. */
export function storeOutage(error: unknown): string | undefined {
  if (error instanceof ClockWrong) return 'The clock of this process or of the database is wrong.';
  return error instanceof StoreUnavailable || error instanceof OutcomeUnknown
    ? 'The event store or the read models do not respond in time.'
    : databaseOutage(error);
}
