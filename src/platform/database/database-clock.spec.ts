import { describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { ManualClock } from '../../../test/support/unit/manual-clock.js';
import { readDatabaseClock } from './database-clock.js';

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
