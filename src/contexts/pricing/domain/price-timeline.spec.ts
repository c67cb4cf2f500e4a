import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AtRevision } from '../../../platform/event-sourcing/decider.js';
import { type PriceScheduleEvent, type PricingEvent } from './events.js';
import { DEFAULT_PRICE_BOOK, type Fees, priceBookDecider, type PublishPriceBook } from './price-book.js';
import { dueAt, pendingAt, type PriceScheduleCommand, priceScheduleDecider } from './price-schedule.js';
import { BUILT_IN, priceBookInForce, PriceTimeline, type PublishedPriceBook, schedulesOf } from './price-timeline.js';

const BEGIN_MS = Date.UTC(2026, 10, 21);
const at = (minute: number): string => new Date(BEGIN_MS + minute * 60_000).toISOString();
const feesOf = (identity: number): Fees => ({ ...DEFAULT_PRICE_BOOK.fees_kobo, 'svc_fee.identity': identity });

/** Returns every version of the price book that the events of both streams make, in ascending order. The last one may lie in the future. */
function priceBooks(
  published: readonly PricingEvent[],
  scheduled: readonly AtRevision<PriceScheduleEvent>[],
): readonly PublishedPriceBook[] {
  const timeline = new PriceTimeline(schedulesOf(scheduled));
  return [...published.flatMap((event) => timeline.add(event)), ...timeline.rest()];
}

/** Both streams of prices, changed as the service changes them. */
class Log {
  readonly published: PricingEvent[] = [];
  readonly scheduled: AtRevision<PriceScheduleEvent>[] = [];

  publish(command: Omit<PublishPriceBook, 'actor'>): void {
    const state = this.published.reduce(
      (book, event, index) => priceBookDecider.evolve(book, { ...event, revision: BigInt(index) }),
      priceBookDecider.initialState,
    );
    const due = dueAt(this.schedule, command.at);
    this.published.push(...priceBookDecider.decide({ due, ...command, actor: 'admin' }, state));
  }

  decide(command: PriceScheduleCommand): void {
    for (const event of priceScheduleDecider.decide(command, this.schedule))
      this.scheduled.push({ ...event, revision: BigInt(this.scheduled.length) });
  }

  fulfil(time: string): void {
    for (const { schedule_revision } of dueAt(this.schedule, time))
      this.decide({ kind: 'fulfil', schedule_revision, at: time, actor: 'a' });
  }

  get schedule() {
    return this.scheduled.reduce(priceScheduleDecider.evolve, priceScheduleDecider.initialState);
  }

  inForce(minute: number): [version: number, identity: number | undefined] {
    const { book } = priceBookInForce(priceBooks(this.published, this.scheduled), at(minute));
    return [book.version, book.fees_kobo['svc_fee.identity']];
  }
}

const by = { actor: 'admin' };
const schedule = (identity: number, minute: number, effective: number): PriceScheduleCommand => ({
  kind: 'schedule',
  fees_kobo: feesOf(identity),
  vat_percent: 0,
  effective_at: at(effective),
  at: at(minute),
  ...by,
});

describe('the price book in force', () => {
  it('is the built-in one, until when nothing is known', () => {
    expect(priceBookInForce(priceBooks([], []), at(0))).toStrictEqual({ book: BUILT_IN, until: undefined });
  });

  it('is the scheduled one from its time on, and has the same version once an event publishes it', () => {
    const log = new Log();
    log.decide(schedule(60, 0, 10));
    const seen = (): unknown => [9, 10, 11, 500].map((minute) => log.inForce(minute));
    expect(seen()).toStrictEqual([
      [1, 50_00],
      [2, 60],
      [2, 60],
      [2, 60],
    ]);
    expect(priceBookInForce(priceBooks(log.published, log.scheduled), at(9)).until).toBe(at(10));
    const before = seen();
    log.publish({ at: at(300) });
    expect(seen()).toStrictEqual(before);
    log.fulfil(at(300));
    expect(seen()).toStrictEqual(before);
    expect(priceBooks(log.published, log.scheduled)).toMatchObject([
      { version: 1, published_at: null, effective_at: null },
      { version: 2, published_at: at(0), effective_at: at(10), actor: 'admin' },
    ]);
  });

  it('is each of several that became due while nothing published them', () => {
    const log = new Log();
    log.decide(schedule(60, 0, 10));
    log.decide(schedule(70, 20, 30));
    const expected = [
      [1, 50_00],
      [2, 60],
      [3, 70],
    ];
    expect([0, 15, 40].map((minute) => log.inForce(minute))).toStrictEqual(expected);
    log.publish({ fees_kobo: feesOf(80), at: at(50) });
    expect([0, 15, 40].map((minute) => log.inForce(minute))).toStrictEqual(expected);
    expect(log.inForce(50)).toStrictEqual([4, 80]);
  });

  it('is the one before for schedules of earlier releases, until an event publishes them', () => {
    const log = new Log();
    const data = { fees_kobo: feesOf(60), effective_at: at(10), recorded_at: at(0), ...by };
    log.scheduled.push({ type: 'PriceBookScheduled', data, revision: 0n });
    expect(log.inForce(20)).toStrictEqual([1, 50_00]);
    log.publish({ at: at(12) });
    expect([11, 12].map((minute) => log.inForce(minute))).toStrictEqual([
      [1, 50_00],
      [2, 60],
    ]);
    expect(priceBooks(log.published, log.scheduled).at(-1)).toMatchObject({ published_at: at(0), effective_at: at(12) });
  });

  it('never has a later version in force before an earlier one', () => {
    const log = new Log();
    log.decide(schedule(60, 0, 10));
    log.publish({ at: at(10) });
    // By the clock of the process that publishes it, the schedule is not due yet.
    log.published.push({ type: 'PriceBookPublished', data: { version: 3, fees_kobo: feesOf(70), recorded_at: at(9), ...by } });
    expect([9, 10].map((minute) => log.inForce(minute))).toStrictEqual([
      [1, 50_00],
      [3, 70],
    ]);
  });

  it('is at every time the one of a service that publishes each schedule in its very minute', () => {
    const step = fc.record({
      minutes: fc.integer({ min: 0, max: 20 }),
      what: fc.constantFrom('publish', 'schedule', 'cancel', 'publish due', 'publish due and record it', 'nothing'),
      identity: fc.integer({ min: 1, max: 4 }),
      ahead: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const log = new Log();
        const model = new Model();
        let minute = 0;
        for (const { minutes, what, identity, ahead } of steps) {
          minute += minutes;
          model.advance(minute);
          if (what === 'publish') log.publish({ fees_kobo: feesOf(identity), at: at(minute) });
          else if (what === 'schedule') log.decide(schedule(identity, minute, minute + ahead));
          else if (what === 'cancel') log.decide({ kind: 'cancel', at: at(minute), ...by });
          else if (what !== 'nothing') log.publish({ at: at(minute) });
          if (what === 'publish due and record it') log.fulfil(at(minute));
          model.act(what, identity, minute + ahead);
          expect(pendingAt(log.schedule, at(minute))?.effective_at).toBe(model.pending && at(model.pending.minute));
          expect(log.inForce(minute)).toStrictEqual(model.inForce.at(-1));
          // Later events leave the price book of an earlier time as it was.
          for (let earlier = 0; earlier < minute; earlier += 7) expect(log.inForce(earlier)).toStrictEqual(model.inForce[earlier]);
        }
      }),
    );
  });
});

/** A service with one process, which publishes each schedule in the minute of its time. */
class Model {
  /** The last version and its fee in each minute. */
  readonly inForce: [version: number, identity: number][] = [[1, 50_00]];
  pending: { readonly identity: number; readonly minute: number } | undefined;

  advance(minute: number): void {
    while (this.inForce.length <= minute) {
      this.inForce.push(this.last);
      if (this.pending?.minute !== this.inForce.length - 1) continue;
      this.last = [this.last[0] + 1, this.pending.identity];
      this.pending = undefined;
    }
  }

  act(what: string, identity: number, minute: number): void {
    if (what === 'publish' && identity !== this.last[1]) this.last = [this.last[0] + 1, identity];
    if (what === 'schedule') this.pending = { identity, minute };
    if (what === 'cancel') this.pending = undefined;
  }

  private get last(): [version: number, identity: number] {
    return this.inForce.at(-1) ?? [1, 50_00];
  }

  private set last(book: [version: number, identity: number]) {
    this.inForce[this.inForce.length - 1] = book;
  }
}
