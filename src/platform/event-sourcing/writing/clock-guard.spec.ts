import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../test/support/unit/manual-clock.js';
import { EventStore, NO_EVENTS } from '../event-store.js';
import { type StoreClient } from '../event-store-client/store-client.js';
import { type NewEvent } from '../recorded-event.js';
import { ClockGuard, ClockWrong, clockFault, isAheadOf, sentenceOf } from './clock-guard.js';
import fc from 'fast-check';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A clock that a test sets. */
class SetClock extends ManualClock {
  setMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.setMs);
  }
}

describe('the guard of the clock', () => {
  let clock: SetClock;
  let guard: ClockGuard;
  let startMs: number;

  beforeEach(() => {
    clock = new SetClock();
    guard = new ClockGuard(clock);
    startMs = clock.now().getTime();
  });

  const dated = (ms: number): { data: { recorded_at: string } } => ({ data: { recorded_at: new Date(startMs + ms).toISOString() } });
  const inLog = (ms: number) => ({ ...dated(ms), stream: 'farmer-rp-1', position: 70n });
  const databaseShows = (ms: number): void => {
    guard.databaseMeasured({ storeMs: startMs + ms, elapsedMs: clock.elapsedMs(), uncertaintyMs: 5 });
  };

  it('refuses appends from the moment at which the clock is set, and lets them go on when it is right', async () => {
    databaseShows(0);
    await clock.advance(20 * MINUTE_MS);
    const now = dated(20 * MINUTE_MS);
    expect(() => {
      guard.check([now]);
    }).not.toThrow();
    clock.setMs = -25 * DAY_MS;
    expect(() => {
      guard.check([dated(-25 * DAY_MS)]);
    }).toThrow(ClockWrong);
    expect(guard.fault()).toContain('2160000.0 s behind the database’s');
    clock.setMs = 0;
    guard.check([now]);
    expect(guard.fault()).toBeUndefined();
  });

  it('refuses an append with an event that is dated more than a minute before one that was read', () => {
    databaseShows(0);
    guard.noteEvents([inLog(0), inLog(-DAY_MS)]);
    expect(() => {
      guard.check([dated(0), dated(-MINUTE_MS - 1)]);
    }).toThrow(ClockWrong);
    guard.check([dated(-MINUTE_MS)]);
    // Not every event has a date.
    guard.check([{ data: {} }]);
  });

  it('compares with the log alone while the database has not responded', () => {
    guard.noteEvents([inLog(DAY_MS)]);
    expect(guard.fault()).toContain('86400.0 s behind the newest one of the log');
  });

  it('names an event that is ahead of the database’s clock, and appends after the others', () => {
    databaseShows(0);
    guard.noteEvents([inLog(DAY_MS), inLog(-DAY_MS)]);
    expect(guard.eventAhead()).toStrictEqual({ category: 'farmer', position: 70n, recordedAt: dated(DAY_MS).data.recorded_at });
    guard.check([dated(0)]);
    databaseShows(DAY_MS);
    expect(guard.eventAhead()).toBeUndefined();
  });

  it('passes over events whose date has another form', () => {
    databaseShows(0);
    for (const recorded_at of ['9999', 7, undefined, 'tomorrow']) {
      guard.noteEvents([{ ...inLog(0), data: { recorded_at } }]);
      guard.check([{ data: { recorded_at } }, dated(-MINUTE_MS)]);
    }
    expect(guard.eventAhead()).toBeUndefined();
  });

  it('refuses an event that was dated before the clock was corrected, but not the entry that follows one that is ahead', async () => {
    databaseShows(0);
    clock.setMs = DAY_MS;
    const early = dated(DAY_MS);
    clock.setMs = 0;
    expect(() => {
      guard.check([early]);
    }).toThrow('was set meanwhile');
    guard.noteEvents([inLog(DAY_MS)]);
    guard.check([early]);
    await clock.advance(2 * MINUTE_MS);
    expect(() => {
      guard.check([dated(0)]);
    }).toThrow('120.0 s behind the clock of this process');
  });

  it('is asked by the event store before an append, and told of each event', async () => {
    const client = {
      append: () => Promise.resolve({ kind: 'appended', revision: 0n, position: 70n }),
      dispose: () => Promise.resolve(),
    } as unknown as StoreClient;
    const store = new EventStore('', { connect: () => client, clockGuard: guard });
    const event = (ms: number): NewEvent => ({
      ...dated(ms),
      id: 'e',
      type: 'Happened',
      metadata: { $correlationId: 'c', schema_version: 1 },
    });
    await store.append('s-1', [event(0)], NO_EVENTS);
    await expect(store.append('s-2', [event(-DAY_MS)], NO_EVENTS)).rejects.toThrow(ClockWrong);
    const exact = { id: 'e', type: 'Happened', data: Buffer.from('{}'), metadata: Buffer.from('{}') };
    expect((await store.appendExactly('s-2', [exact], NO_EVENTS)).kind).toBe('appended');
    await store.close();
  });
});

const NOW = Date.UTC(2026, 10, 21, 10);
const at = (first: number, last = first) => ({ dates: { first, last } });
const right = { now: NOW, ...at(NOW), database: { now: NOW, uncertainty: 5 }, newest: NOW };

describe('the rule for appends', () => {
  it('lets a process append whose clock agrees with the database’s and with the log', () => {
    expect(clockFault(right)).toBeUndefined();
    expect(clockFault({ ...right, database: undefined, newest: undefined })).toBeUndefined();
  });

  it.each([-25 * DAY_MS, -10_006, 10_006, 400 * DAY_MS])('forbids it while the clock is %d ms ahead of the database’s', (aheadMs) => {
    expect(clockFault({ ...right, now: NOW + aheadMs, ...at(NOW + aheadMs) })).toStrictEqual({ kind: 'database', aheadMs });
  });

  it('names the database if its clock alone differs', () => {
    const apart = { ...right, database: { now: NOW - DAY_MS, uncertainty: 5 } };
    const alone = { kind: 'database', aheadMs: DAY_MS, isDatabaseAlone: true };
    for (const ms of [-9_000, 0, 9_000])
      expect(clockFault({ ...apart, eventStore: { now: NOW + ms, uncertainty: 1_000 } })).toStrictEqual(alone);
    for (const ms of [-DAY_MS, -9_001, 9_001, DAY_MS]) {
      const found = clockFault({ ...apart, eventStore: { now: NOW + ms, uncertainty: 1_000 } });
      expect(found).toStrictEqual({ kind: 'database', aheadMs: DAY_MS });
    }
    expect(clockFault({ ...right, eventStore: { now: NOW + DAY_MS, uncertainty: 5 } })).toBeUndefined();
  });

  it('allows ten seconds, and what the measurement leaves uncertain', () => {
    for (const apart of [-10_005, 10_005]) expect(clockFault({ ...right, now: NOW + apart, ...at(NOW + apart) })).toBeUndefined();
    expect(clockFault({ ...right, now: NOW - 10_900, ...at(NOW - 10_900), database: { now: NOW, uncertainty: 1_000 } })).toBeUndefined();
  });

  it('forbids an event that is dated more than a minute before the newest one', () => {
    expect(clockFault({ ...right, newest: NOW + 5_000, ...at(NOW - 55_000, NOW) })).toBeUndefined();
    expect(clockFault({ ...right, newest: NOW + 5_000, ...at(NOW - 55_001, NOW) })).toStrictEqual({ kind: 'log', aheadMs: -60_001 });
    expect(clockFault({ ...right, database: undefined, newest: NOW + 60_001 })).toStrictEqual({ kind: 'log', aheadMs: -60_001 });
  });

  it('forbids an event that was dated before the clock was set', () => {
    expect(clockFault({ ...right, newest: undefined, ...at(NOW - 60_000, NOW + 10_000) })).toBeUndefined();
    expect(clockFault({ ...right, newest: undefined, ...at(NOW - 60_001, NOW) })).toStrictEqual({ kind: 'date', aheadMs: -60_001 });
    expect(clockFault({ ...right, ...at(NOW, NOW + DAY_MS) })).toStrictEqual({ kind: 'date', aheadMs: DAY_MS });
  });

  it('lets the next entries of a wallet follow one that is ahead', () => {
    expect(clockFault({ ...right, ahead: NOW + DAY_MS, ...at(NOW + DAY_MS) })).toBeUndefined();
    expect(clockFault({ ...right, database: undefined, newest: NOW + DAY_MS, ...at(NOW + DAY_MS) })).toBeUndefined();
    expect(clockFault({ ...right, ahead: NOW + DAY_MS, ...at(NOW + DAY_MS + 1) })).toStrictEqual({ kind: 'date', aheadMs: DAY_MS + 1 });
  });

  it('goes on after an event that is ahead of the database’s clock, too', () => {
    expect(clockFault({ ...right, newest: NOW + 25 * DAY_MS })).toBeUndefined();
  });

  it('says which clock is wrong, and by how much', () => {
    expect(sentenceOf({ kind: 'database', aheadMs: -DAY_MS })).toContain('is 86400.0 s behind the database’s');
    expect(sentenceOf({ kind: 'database', aheadMs: 12_340 })).toContain('is 12.3 s ahead of the database’s');
    expect(sentenceOf({ kind: 'database', aheadMs: 12_340, isDatabaseAlone: true })).toContain('correct the clock of the database’s host');
    expect(sentenceOf({ kind: 'date', aheadMs: DAY_MS })).toContain('was dated 86400.0 s ahead of the clock of this process');
    expect(sentenceOf({ kind: 'log', aheadMs: -61_000 })).toContain('61.0 s behind the newest one of the log');
  });

  it('lets processes with any clocks date no event more than a minute before another one that the database’s clock had reached', () => {
    const offset = fc.oneof(fc.integer({ min: -20_000, max: 20_000 }), fc.integer({ min: -400 * DAY_MS, max: 400 * DAY_MS }));
    const step = fc.record({
      passedMs: fc.integer({ min: 0, max: 120_000 }),
      offset,
      /** How long the event has waited since it was dated. */
      waitedMs: fc.integer({ min: 0, max: 200_000 }),
      wrongBy: fc.integer({ min: -2_000, max: 2_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let time = NOW;
        let newest: number | undefined;
        for (const { passedMs, offset, waitedMs, wrongBy } of steps) {
          time += passedMs;
          const [now, recordedAt] = [time + offset, time + offset - waitedMs];
          const database = { now: time + wrongBy, uncertainty: Math.abs(wrongBy) };
          if (clockFault({ now, ...at(recordedAt), database, newest })) continue;
          expect(Math.abs(offset)).toBeLessThanOrEqual(14_000);
          expect(Math.abs(time - recordedAt)).toBeLessThanOrEqual(74_000);
          const isReached = newest !== undefined && newest - time <= 10_000;
          if (newest !== undefined && isReached) expect(newest - recordedAt).toBeLessThanOrEqual(60_000);
          newest = Math.max(newest ?? recordedAt, recordedAt);
        }
      }),
    );
  });
});

describe('a date', () => {
  it('is ahead of the database’s clock if no process whose clock is right can have written it', () => {
    expect(isAheadOf({ now: NOW, uncertainty: 5 }, NOW + 10_005)).toBe(false);
    expect(isAheadOf({ now: NOW, uncertainty: 5 }, NOW + 10_006)).toBe(true);
    expect(isAheadOf(undefined, NOW + DAY_MS)).toBe(false);
  });
});
