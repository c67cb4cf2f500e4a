import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../test/support/unit/manual-clock.js';
import { EventStore, NO_EVENTS } from '../event-store.js';
import { type StoreClient } from '../event-store-client/store-client.js';
import { type NewEvent } from '../recorded-event.js';
import { ClockGuard, ClockWrong } from './clock-guard.js';

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
