import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { checkNode } from '../../src/operations/doctor/check-host.js';
import { checkPostgres } from '../../src/operations/doctor/check-postgres.js';
import { checkProjections } from '../../src/operations/doctor/check-projections.js';
import { InstancePresence, presenceName } from '../../src/platform/database/instances/instance-presence.js';
import { checkEventStore } from '../../src/operations/doctor/check-event-store.js';
import { EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { testPool } from '../support/database.js';
import { type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';

const failures = (findings: readonly { check: string; status: string }[]): string[] =>
  findings.filter(({ status }) => status === 'failure').map(({ check }) => check);

describe('the doctor', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
    await stack.project([partnerProjection]).prepared;
  });
  afterAll(() => stack.close());

  it('warns when clocks differ by more than a second, and fails at more than half a minute', async () => {
    const clock = async (offsetMs: number): Promise<string | undefined> =>
      (await checkPostgres(stack.pool, () => Date.now() + offsetMs)).find(({ check }) => check === 'clock')?.status;
    for (const [offset, status] of [
      [0, 'ok'],
      [10_000, 'warning'],
      [-10_000, 'warning'],
      [60_000, 'failure'],
      [-60_000, 'failure'],
    ] as const)
      // A busy machine may stop between the two readings, which then differ by as much.
      await until(async () => (await clock(offset)) === status);
  });

  it('reports a clock that is behind the newest event of the event store, by the same bounds', async () => {
    const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
    await stack.eventStore.append('clock-1', [{ id: randomUUID(), type: 'Happened', data: {}, metadata }], NO_EVENTS);
    const { recordedAt } = (await stack.eventStore.newest()) ?? { recordedAt: new Date(NaN) };
    const clock = async (offsetMs: number): Promise<string | undefined> =>
      (await checkEventStore(stack.eventStore, () => recordedAt.getTime() + offsetMs, true)).find(({ check }) => check.startsWith('clock'))
        ?.status;
    expect([await clock(3_600_000), await clock(0), await clock(-500), await clock(-10_000), await clock(-60_000)]).toStrictEqual([
      undefined,
      undefined,
      undefined,
      'warning',
      'failure',
    ]);
  });

  it('reports the clock of every running instance, and no longer that of an instance that has ended', async () => {
    const clocks = async (): Promise<string[]> =>
      (await checkPostgres(stack.pool, Date.now)).filter(({ check }) => check === 'clock of an instance').map(({ status }) => status);
    expect(await clocks()).toStrictEqual([]);
    const presences = [new InstancePresence(stack.pool, new SystemClock()), new InstancePresence(stack.pool, new SystemClock())];
    for (const presence of presences) await presence.start();
    const showing = async (...statuses: string[]): Promise<void> => {
      await until(async () => (await clocks()).sort().join() === statuses.join());
    };
    await showing('ok', 'ok');
    const wrong = testPool(stack.databaseUrl, 1);
    // The pool would end the connection after ten seconds without a statement.
    const held = await wrong.connect();
    await held.query("select set_config('application_name', $1, false)", [presenceName(7, -90_013)]);
    await showing('failure', 'ok', 'ok');
    held.release();
    await Promise.all([wrong.end(), ...presences.map((presence) => presence.stop())]);
    await until(async () => (await clocks()).length === 0);
  });

  it('fails on a read-only database, and judges the connections that are left to the user of the database', async () => {
    const user = testPool(stack.databaseUrl, 1);
    const name = `doctor_${randomUUID().replaceAll('-', '')}`;
    const setLimit = (limit: number): Promise<unknown> => user.query(`alter role ${name} connection limit ${limit}`);
    const url = new URL(stack.databaseUrl);
    [url.username, url.password] = [name, name];
    const examine = async (): Promise<Record<string, string>> => {
      // PostgreSQL counts a session for a moment after its connection has ended.
      await until(async () => (await user.query('select from pg_stat_activity where usename = $1', [name])).rowCount === 0);
      const own = testPool(url.href, 1);
      const found = await checkPostgres(own, Date.now);
      await own.end();
      return Object.fromEntries(found.map(({ check, status, found }) => [check, `${status}: ${found}`]));
    };
    await user.query(`create role ${name} login password '${name}'`);
    const free = await examine();
    expect(free).toMatchObject({ connections: expect.stringMatching(/^ok: \d+ free \(max_connections is \d+\)$/) });
    expect(free).not.toHaveProperty('writes');
    await setLimit(10);
    expect(await examine()).toMatchObject({ connections: expect.stringMatching(/^warning: 9 free/) });
    await setLimit(1);
    expect(await examine()).toMatchObject({ connections: expect.stringMatching(/^failure: 0 free/) });
    await setLimit(0);
    expect(await examine()).toStrictEqual({ PostgreSQL: expect.stringMatching(/^failure: .*too many connections/) });
    await setLimit(-1);
    await user.query(`alter role ${name} set default_transaction_read_only = on`);
    expect(await examine()).toMatchObject({ writes: 'failure: the database is read-only' });
    await user.query(`drop role ${name}`);
    await user.end();
  });

  it('reports a faulted projection and one that a newer version built', async () => {
    expect(failures(await checkProjections(stack.pool, stack.eventStore))).toStrictEqual([]);
    await stack.pool.query("update ops.checkpoint set fault = 'cannot', fault_position = 1 where projection = 'partner'");
    expect((await checkProjections(stack.pool, stack.eventStore)).find(({ status }) => status === 'failure')).toMatchObject({
      check: 'read model partner',
      todo: expect.stringContaining('rupa projections retry partner'),
    });
    await stack.pool.query("update ops.checkpoint set fault = null, fault_position = null, version = 99 where projection = 'partner'");
    expect((await checkProjections(stack.pool, stack.eventStore)).find(({ status }) => status === 'failure')?.found).toMatch(
      /newer version/,
    );
  });

  it('reports a database of another log', async () => {
    await stack.pool.query("update ops.checkpoint set version = 1, position = 12345 where projection = 'partner'");
    expect(failures(await checkProjections(stack.pool, stack.eventStore))).toStrictEqual(['stores']);
    await stack.pool.query('update ops.checkpoint set position = null');
  });

  it('reports migrations of a newer version', async () => {
    await stack.pool.query("insert into public.migration (name) values ('9999-from-the-future')");
    expect(failures(await checkPostgres(stack.pool, Date.now))).toStrictEqual(['migrations']);
    await stack.pool.query("delete from public.migration where name = '9999-from-the-future'");
  });

  it('reports a wrong password and missing permissions', async () => {
    const role = `doctor_${Date.now()}`;
    await stack.pool.query(`create role ${role} login password 'right'`);
    const as = async (password: string): Promise<string[]> => {
      const url = new URL(stack.databaseUrl);
      [url.username, url.password] = [role, password];
      const pool = testPool(url.href, 1);
      try {
        return failures(await checkPostgres(pool, Date.now));
      } finally {
        await pool.end();
      }
    };
    try {
      expect(await as('right')).toStrictEqual(['permissions', 'permissions', 'permissions', 'permissions', 'migrations']);
      expect(await as('wrong')).toStrictEqual(['PostgreSQL']);
    } finally {
      await stack.pool.query(`drop role ${role}`);
    }
  });

  it('reports an event store that does not respond', async () => {
    stack.store.pause();
    const eventStore = new EventStore(stack.store.connectionString, { stallTimeoutMs: 200 });
    try {
      expect(failures(await checkEventStore(eventStore, Date.now, true))).toStrictEqual(['event store']);
    } finally {
      stack.store.resume();
      await eventStore.close();
    }
  });

  it('reports a Node that is too old', () => {
    expect([checkNode('24.1.0').status, checkNode('20.9.0').status]).toStrictEqual(['ok', 'failure']);
  });
});
