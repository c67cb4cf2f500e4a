import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { type CallerPool, createCallerPool } from '../../src/platform/database/sharing/caller-pool.js';
import { Call, inRequest } from '../../src/platform/tracing/request-context.js';
import { createTestDatabase, type TestDatabase, testPool } from '../support/database.js';
import { until } from '../support/until.js';

const CONNECTIONS = 3;
const PER_CALLER = 2;
/** Longer than any wait of these tests, so that only a cancellation ends the statement. */
const SLEEP = 'select pg_sleep(600)';

describe('the connections for free calls', () => {
  let database: TestDatabase;
  let watcher: Pool;
  let free: CallerPool;

  beforeAll(async () => {
    database = await createTestDatabase();
    watcher = testPool(database.url, 1);
    free = createCallerPool(database.url, CONNECTIONS, PER_CALLER, () => undefined);
  });
  afterAll(async () => {
    await free.end();
    await watcher.end();
    await database.drop();
  });

  const sleeping = async (): Promise<number> =>
    (await watcher.query("select from pg_stat_activity where query = $1 and state = 'active' and datname = current_database()", [SLEEP]))
      .rowCount ?? 0;
  const begin = (caller: string, statement = SLEEP) => {
    const call = new Call(caller);
    const done = inRequest({ correlationId: caller, call }, () => free.query(statement)).then(
      () => 'done',
      (error: unknown) => (error as { code?: string }).code,
    );
    return { call, done };
  };

  it('execute no statement of a call that has ended, and serve the next calls', async () => {
    const calls = [begin('a'), begin('a'), begin('b')];
    await until(async () => (await sleeping()) === CONNECTIONS);
    const waiting = begin('b');
    for (const { call } of [...calls, waiting]) call.end();
    expect(await Promise.all([...calls, waiting].map(({ done }) => done))).toStrictEqual(['57014', '57014', '57014', '57014']);
    await until(async () => (await sleeping()) === 0);
    expect(await Promise.all(['a', 'b', 'c'].map((caller) => begin(caller, 'select 1').done))).toStrictEqual(['done', 'done', 'done']);
  });

  it('leave others a connection when one caller has slow statements', async () => {
    const slow = Array.from({ length: 10 }, () => begin('slow'));
    await until(async () => (await sleeping()) === PER_CALLER);
    expect(await begin('other', 'select 1').done).toBe('done');
    expect(await sleeping()).toBe(PER_CALLER);
    for (const { call } of slow) call.end();
    await Promise.all(slow.map(({ done }) => done));
    await until(async () => (await sleeping()) === 0);
  });

  it('do not cancel what another call executes on a connection that a call has given back', async () => {
    const calls = Array.from({ length: 200 }, (_, index) => begin(`caller ${index % 5}`, 'select 1'));
    const others = Array.from({ length: 20 }, (_, index) => begin(`other ${index % 5}`, 'select pg_sleep(0.01)'));
    for (const { call, done } of calls)
      void done.then(() => {
        call.end();
      });
    expect(new Set(await Promise.all([...calls, ...others].map(({ done }) => done)))).toStrictEqual(new Set(['done']));
  });

  it('roll back the transaction of a call that ends in it', async () => {
    await watcher.query('create table written (id int)');
    const call = new Call('writer');
    await inRequest({ correlationId: 'writer', call }, async () => {
      const client = await free.connect();
      await client.query('begin; insert into written values (1)');
      try {
        const slept = client.query(SLEEP);
        // A cancellation that is there before the statement cancels nothing.
        await until(async () => (await sleeping()) === 1);
        call.end();
        await expect(slept).rejects.toMatchObject({ code: '57014' });
      } finally {
        client.release();
      }
    });
    expect((await watcher.query('select from written')).rowCount).toBe(0);
  });
});
