import { describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { pino } from 'pino';
import { ManualClock } from '../../../../test/support/unit/manual-clock.js';
import { ApiKeyUses } from './partner-directory.js';

/** Longer than a use waits to be written with others, or to be written again after an error. */
const WRITTEN_WITHIN_MS = 60_000;
const HOUR_MS = 3_600_000;

function setUp() {
  const clock = new ManualClock();
  const written: [string, string][] = [];
  const database = { isUp: true };
  const query = (_sql: string, [keys, times]: [string[], string[]]): Promise<void> => {
    if (!database.isUp) return Promise.reject(new Error('down'));
    written.push(...keys.map((key, index): [string, string] => [key, times[index] ?? '']));
    return Promise.resolve();
  };
  return { clock, written, database, uses: new ApiKeyUses({ query } as unknown as Pool, pino({ enabled: false }), clock) };
}

describe('the last use of API keys', () => {
  it('is written once an hour for each key, with the hour', async () => {
    const { clock, written, uses } = setUp();
    for (const key of ['k1', 'k2', 'k1', 'k1']) uses.note(key);
    await clock.advance(WRITTEN_WITHIN_MS);
    uses.note('k1');
    expect(clock.waiting).toBe(0);
    expect(written).toStrictEqual([
      ['k1', '2026-11-21T10:00:00.000Z'],
      ['k2', '2026-11-21T10:00:00.000Z'],
    ]);
    await clock.advance(HOUR_MS);
    uses.note('k1');
    await clock.advance(WRITTEN_WITHIN_MS);
    expect(written.slice(2)).toStrictEqual([['k1', '2026-11-21T11:00:00.000Z']]);
  });

  it('is written later if the database is down, and the newest hour wins', async () => {
    const { clock, written, database, uses } = setUp();
    database.isUp = false;
    uses.note('k1');
    await clock.advance(WRITTEN_WITHIN_MS);
    await clock.advance(HOUR_MS);
    uses.note('k1');
    database.isUp = true;
    await clock.advance(WRITTEN_WITHIN_MS);
    expect(written).toStrictEqual([['k1', '2026-11-21T11:00:00.000Z']]);
    expect(clock.waiting).toBe(0);
  });

  it('is written at once when the service stops', async () => {
    const { written, uses } = setUp();
    uses.note('k1');
    await uses.onApplicationShutdown();
    expect(written).toHaveLength(1);
  });
});
