import { describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { pino } from 'pino';
import { Clock } from '../../kernel/clock.js';
import { ApiKeyUses } from './api-key-uses.js';

class ManualClock extends Clock {
  at = new Date('2026-11-21T10:20:00.000Z');
  private due: (() => void)[] = [];

  now(): Date {
    return this.at;
  }

  elapsedMs(): number {
    return this.at.getTime();
  }

  delay(): Promise<void> {
    return Promise.resolve();
  }

  after(_ms: number, call: () => void): () => void {
    this.due.push(call);
    return () => {
      this.due = this.due.filter((each) => each !== call);
    };
  }

  get timers(): number {
    return this.due.length;
  }

  async fire(): Promise<void> {
    for (const call of this.due.splice(0)) call();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

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
    await clock.fire();
    uses.note('k1');
    expect(clock.timers).toBe(0);
    expect(written).toStrictEqual([
      ['k1', '2026-11-21T10:00:00.000Z'],
      ['k2', '2026-11-21T10:00:00.000Z'],
    ]);
    clock.at = new Date('2026-11-21T11:00:00.000Z');
    uses.note('k1');
    await clock.fire();
    expect(written.slice(2)).toStrictEqual([['k1', '2026-11-21T11:00:00.000Z']]);
  });

  it('is written later if the database is down, and the newest hour wins', async () => {
    const { clock, written, database, uses } = setUp();
    database.isUp = false;
    uses.note('k1');
    await clock.fire();
    clock.at = new Date('2026-11-21T11:00:00.000Z');
    uses.note('k1');
    database.isUp = true;
    await clock.fire();
    expect(written).toStrictEqual([['k1', '2026-11-21T11:00:00.000Z']]);
    expect(clock.timers).toBe(0);
  });

  it('is written at once when the service stops', async () => {
    const { written, uses } = setUp();
    uses.note('k1');
    await uses.onApplicationShutdown();
    expect(written).toHaveLength(1);
  });
});
