import { type AllRequest, type Place } from './requested-read.js';

/** Most events that EventStoreDB sends from one page of a catch-up. */
const PAGE_EVENTS = 32;

/**
 * Decides when a filtered subscription to $all gets a checkpoint, so that the subscriber's position advances even while no event passes the
 * filter. Catch-up follows EventStoreDB: it considers the events in pages of a window, and a checkpoint that is due after a page has the
 * position of the newest event that was sent, or of the beginning of that page if nothing was sent since. Everything up to a checkpoint has
 * been considered.
 */
export class Checkpoints {
  private readonly window: number;
  private readonly interval: number;
  private isLive = false;
  private considered = 0;
  private inPage = 0;
  private sentInPage = 0;
  private pageStart: Place | undefined;
  private newest: Place | undefined;
  private reported: Place | undefined;

  /** @param start place that the subscriber named; its event is the first one to be considered */
  constructor({ window, checkpointInterval }: AllRequest, start: Place | undefined) {
    this.window = window;
    this.interval = checkpointInterval;
    this.pageStart = start;
    this.newest = start;
  }

  /** Considers the next event. @returns the checkpoint that is due after it */
  after(position: number, isSent: boolean): Place | undefined {
    const place = { commit: position, prepare: position };
    if (this.isLive) {
      this.considered += 1;
      if (this.considered < this.interval) return undefined;
      this.considered = 0;
      return place;
    }
    this.pageStart ??= { commit: position, prepare: 0 };
    if (isSent) this.newest = place;
    this.inPage += 1;
    this.sentInPage += isSent ? 1 : 0;
    return this.inPage === this.window || this.sentInPage === PAGE_EVENTS ? this.endPage() : undefined;
  }

  /** Ends the catch-up. @returns the checkpoint to send before the subscription continues live */
  goLive(): Place | undefined {
    this.isLive = true;
    this.considered = 0;
    return this.report();
  }

  private endPage(): Place | undefined {
    const start = this.pageStart;
    this.considered += this.inPage;
    [this.inPage, this.sentInPage, this.pageStart] = [0, 0, undefined];
    if (this.considered < this.interval) return undefined;
    this.considered %= this.interval;
    if (start && isAfter(start, this.newest)) this.newest = start;
    return this.report();
  }

  /** Returns the newest place, unless it was reported before. */
  private report(): Place | undefined {
    if (!this.newest || !isAfter(this.newest, this.reported)) return undefined;
    this.reported = this.newest;
    return this.newest;
  }
}

function isAfter(place: Place, other: Place | undefined): boolean {
  return !other || place.commit > other.commit || (place.commit === other.commit && place.prepare > other.prepare);
}
