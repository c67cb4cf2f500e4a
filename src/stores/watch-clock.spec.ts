import { describe, expect, it, jest } from '@jest/globals';
import { type Pool } from 'pg';
import { ManualClock } from '../../test/support/unit/manual-clock.js';
import { ClockGuard } from '../platform/event-sourcing/writing/clock-guard.js';
import { ClockWatch, readDatabaseClock } from './watch-clock.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

describe('the comparison of the clocks', () => {
  /** Makes it with stores whose clocks are wrong by the milliseconds in the object that it returns. */
  function started() {
    const clock = new ManualClock();
    const guard = new ClockGuard(clock);
    const wrong = { database: 0, eventStore: 0 };
    const reads: bigint[] = [];
    const pool = { query: () => Promise.resolve({ rows: [{ now_ms: clock.now().getTime() + wrong.database }] }) } as unknown as Pool;
    const rawEventAt = (position: bigint) => {
      reads.push(position);
      return Promise.resolve({ createdMs: clock.now().getTime() + wrong.eventStore } as never);
    };
    const newWatch = (): ClockWatch => new ClockWatch(guard, { pool, eventStore: { rawEventAt } }, clock);
    const measure = async (): Promise<void> => {
      const watch = newWatch();
      await watch.start();
      watch.stop();
      await Promise.resolve();
    };
    const appended = (position: bigint, tookMs = 0): void => {
      guard.noteAppend({ stream: 'wallet-p', events: [], position, startedMs: clock.elapsedMs() - tookMs });
    };
    return { clock, guard, wrong, reads, newWatch, measure, appended };
  }

  it('names the database whose clock alone is set, as long as the process has appended before', async () => {
    const { guard, wrong, measure, appended } = started();
    await measure();
    wrong.database = HOUR_MS;
    await measure();
    expect(guard.fault()).toContain('Synchronise both hosts.');
    appended(7n);
    await measure();
    expect(guard.fault()).toContain('3600.0 s behind the database’s');
    expect(guard.fault()).toContain('correct the clock of the database’s host');
  });

  it('does not name the database if the event store agrees with it', async () => {
    const { guard, wrong, measure, appended } = started();
    [wrong.database, wrong.eventStore] = [HOUR_MS, HOUR_MS];
    appended(7n);
    await measure();
    expect(guard.fault()).toContain('Synchronise both hosts.');
  });

  it('reads no more than one append in a minute', async () => {
    const { clock, reads, measure, appended } = started();
    for (let position = 0n; position < 120n; position += 1n) {
      appended(position);
      await measure();
      await clock.advance(SECOND_MS);
    }
    expect(reads).toStrictEqual([0n, 60n]);
  });

  it('ends when it is stopped, also during a measurement', async () => {
    jest.useFakeTimers();
    try {
      const watch = started().newWatch();
      const starting = watch.start();
      watch.stop();
      await starting;
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not rely on an append that took long', async () => {
    const { reads, measure, appended } = started();
    appended(7n, 3 * SECOND_MS);
    await measure();
    expect(reads).toStrictEqual([]);
  });
});

/** Returns a pool whose database responds after some time of the clock. */
function respondingAfter(ms: number, clock: ManualClock): Pool {
  const query = async () => {
    await clock.advance(ms);
    return { rows: [{ now_ms: 70_000 }] };
  };
  return { query } as unknown as Pool;
}

describe('a reading of the database’s clock', () => {
  it('dates from the middle of the round trip, and is uncertain by half of it', async () => {
    const clock = new ManualClock();
    await clock.advance(1_000);
    expect(await readDatabaseClock(respondingAfter(300, clock), clock)).toStrictEqual({
      storeMs: 70_000,
      elapsedMs: 1_150,
      uncertaintyMs: 150,
    });
  });

  it('says nothing if the database took seconds', async () => {
    const clock = new ManualClock();
    expect(await readDatabaseClock(respondingAfter(2_001, clock), clock)).toBeUndefined();
  });
});
