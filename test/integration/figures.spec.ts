import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { countsBy, MINUTE_MS, NO_COUNTS, NO_LEVELS, sumOf } from '../../src/contexts/figures/domain/figures.js';
import { FigureTable, type Writer } from '../../src/contexts/figures/figure-table.js';
import { GetFigures, GetFiguresHandler } from '../../src/contexts/figures/get-figures.query.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

const writer = (role = 'api'): Writer => ({ id: randomUUID(), roles: [role], host: 'host', pid: 7 });
const counts = (lookups: number) => ({ ...NO_COUNTS, lookups });

describe('the table of figures', () => {
  let database: TestDatabase;
  let pool: Pool;
  let table: FigureTable;
  let minuteMs: number;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 4);
    // A busy machine may need longer for a statement than the service waits for it.
    table = new FigureTable(pool, 600_000);
  });
  beforeEach(async () => {
    await pool.query('truncate ops.figure, ops.process');
    const nowMs = await table.nowMs();
    minuteMs = nowMs - (nowMs % MINUTE_MS) - MINUTE_MS;
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const lookupsByMinute = async (): Promise<[minutesAgo: number, lookups: number | undefined][]> =>
    (await table.steps(MINUTE_MS, 0)).map((step) => [(minuteMs - step.atMs) / MINUTE_MS, step.counts?.lookups] as [number, number]).sort();

  it('adds up what all processes counted in a minute', async () => {
    const minutes = [{ minuteMs, counts: countsBy((name) => name.length) }];
    const writers = Array.from({ length: 8 }, () => writer());
    await Promise.all(writers.map((each) => table.record(each, { number: 1, minutes })));
    const [step] = await table.steps(MINUTE_MS, minuteMs);
    expect(step?.counts).toStrictEqual(sumOf(writers.map(() => countsBy((name) => name.length))));
  });

  it('adds a batch once, however often a process that does not know whether it was written sends it', async () => {
    const own = writer();
    const batch = { number: 1, minutes: [{ minuteMs, counts: counts(5) }] };
    for (let attempt = 0; attempt < 3; attempt += 1) await table.record(own, batch);
    await table.record(own, { ...batch, number: 2 });
    expect(await lookupsByMinute()).toStrictEqual([[0, 10]]);
  });

  it('takes counts of minutes before, which a process could not write then, and goes on after a restart', async () => {
    const minutes = [2, 1, 0].map((ago) => ({ minuteMs: minuteMs - ago * MINUTE_MS, counts: counts(ago + 1) }));
    await table.record(writer(), { number: 1, minutes });
    await table.record(writer(), { number: 1, minutes: minutes.slice(2) });
    expect(await lookupsByMinute()).toStrictEqual([
      [0, 2],
      [1, 2],
      [2, 3],
    ]);
  });

  it('lists a process that was killed as silent, forgets it after an hour, and forgets one that stops at once', async () => {
    const [alive, killed, stopped, long] = [writer('api'), writer('projector'), writer('webhooks'), writer('console')];
    for (const each of [alive, killed, stopped, long]) await table.record(each, { number: 1, minutes: [] });
    const silence = (each: Writer, time: string) =>
      pool.query('update ops.process set seen_at = seen_at - $2::interval where process_id = $1', [each.id, time]);
    await silence(killed, '21 seconds');
    await silence(long, '61 minutes');
    await table.leave(stopped);
    const listed = (await table.processes()).map((each) => [each.roles, each.alive]);
    expect(listed).toStrictEqual([
      [['api'], true],
      [['projector'], false],
    ]);
    await table.prune();
    expect((await pool.query('select from ops.process')).rowCount).toBe(2);
  });

  it('keeps 31 days', async () => {
    await table.record(writer(), { number: 1, minutes: [{ minuteMs, counts: counts(1) }] });
    await pool.query(`insert into ops.figure (minute, lookups) select now() - make_interval(days => d), 1 from generate_series(29, 33) d`);
    await table.prune();
    expect((await pool.query('select from ops.figure')).rowCount).toBe(3);
  });

  it('keeps the highest levels of a minute, and asks one process at a time to read them', async () => {
    const due = async (): Promise<boolean> => (await table.record(writer(), { number: 1, minutes: [] })).levelsDue;
    expect(await due()).toBe(true);
    await pool.query('delete from ops.figure');
    await table.recordLevels({ ...NO_LEVELS, open_charges: 7 });
    await pool.query("update ops.figure set minute = date_trunc('minute', clock_timestamp())");
    await table.recordLevels({ ...NO_LEVELS, open_charges: 3, lag_seconds: 0.5 });
    expect(await due()).toBe(false);
    const levels = await table.newestLevels();
    expect([levels?.lag_seconds, levels?.lag_events]).toStrictEqual([0.5, null]);
    expect([3, 7]).toContain(levels?.open_charges);
    await pool.query("update ops.figure set levels_at = levels_at - interval '13 seconds'");
    expect(await due()).toBe(true);
    await pool.query("update ops.figure set levels_at = levels_at - interval '2 minutes'");
    expect(await table.newestLevels()).toBeUndefined();
  });

  it('shows an hour in minutes, a day in ten minutes and thirty days in six hours, each with its exact sum', async () => {
    await pool.query(`insert into ops.figure (minute, lookups)
      select date_trunc('minute', now()) - make_interval(mins => m), 1 from generate_series(-1, 31 * 1440) m`);
    const shown = async (period: 'hour' | 'day' | 'month') => await new GetFiguresHandler(pool).execute(new GetFigures(period));
    for (const [period, steps, each] of [
      ['hour', 60, 1],
      ['day', 144, 10],
      ['month', 120, 360],
    ] as const) {
      const view = await shown(period);
      expect([period, view.steps.length, view.total.lookups]).toStrictEqual([period, steps, steps * each]);
      expect(new Set(view.steps.map(({ lookups }) => lookups))).toStrictEqual(new Set([each]));
      // The next minute has a lookup, too, because it may begin while the test runs.
      expect([1, 2]).toContain(view.since.lookups);
      expect(Date.parse(view.to) - Date.parse(view.from)).toBe(steps * view.step_seconds * 1_000);
    }
  });
});
