import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg, { type Pool } from 'pg';
import { migrate } from '../../src/stores/migrations.js';
import { AdvisoryLocks } from '../../src/platform/database/instances/locks.js';
import { connectionConfig, createPool, inTransaction, withClient } from '../../src/platform/database/pool.js';
import { clientLike, SessionClient } from '../../src/platform/database/session-client.js';
import { createTestDatabase, dropRole, type TestDatabase } from '../support/database.js';
import { HOSTILE_DEFAULTS, hostileDefaultsOf } from '../support/hostile-defaults.js';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.js';
import { until } from '../support/until.js';

const OWNER = 'session_settings_owner';
interface Shown {
  readonly name: string;
  readonly setting: string;
}

const SHOWN = 'select name, setting from pg_settings where lower(name) = any($1) order by lower(name)';

describe('a connection to PostgreSQL', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query(`drop role if exists ${OWNER}`);
    await owner.query(`create role ${OWNER} superuser login password 'secret'`);
    const ofOwner = new URL(database.url);
    ofOwner.username = OWNER;
    ofOwner.password = 'secret';
    url = ofOwner.href;
  });
  beforeEach(async () => {
    await owner.query(`alter role ${OWNER} reset all`);
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
    await dropRole(OWNER);
  });

  const spoil = async (): Promise<void> => {
    for (const statement of hostileDefaultsOf(OWNER)) await owner.query(statement);
  };
  const settings = async (client: pg.ClientBase | Pool): Promise<Readonly<Record<string, string>>> => {
    const { rows } = await client.query<Shown>(SHOWN, [Object.keys(HOSTILE_DEFAULTS)]);
    return Object.fromEntries(rows.map(({ name, setting }) => [name.toLowerCase(), setting]));
  };
  const onConnection = async <T>(client: SessionClient, work: (client: SessionClient) => Promise<T>): Promise<T> => {
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };

  it('has the same settings whatever the defaults of its user are, in a pool and alone', async () => {
    const read = async (): Promise<unknown[]> => {
      const pool = createPool(url, 1, () => undefined);
      try {
        return [
          await settings(pool),
          await onConnection(clientLike(pool, { statements: 'request' }), settings),
          await onConnection(new SessionClient(connectionConfig(url)), settings),
        ];
      } finally {
        await pool.end();
      }
    };
    const usual = await read();
    await spoil();
    expect(await read()).toStrictEqual(usual);
    expect(usual[0]).toMatchObject({ datestyle: 'ISO, YMD', timezone: 'UTC', synchronous_commit: 'on', statement_timeout: '20000' });
  });

  it('reads a time as it was written', async () => {
    await spoil();
    const pool = createPool(url, 1, () => undefined);
    try {
      const at = '2026-03-09T01:02:03.456Z';
      const { rows } = await pool.query("select $1::timestamptz as time, $1::timestamptz::text as text, '\\x00'::text as escape", [at]);
      expect(rows).toStrictEqual([{ time: at, text: '2026-03-09 01:02:03.456+00', escape: '\\x00' }]);
    } finally {
      await pool.end();
    }
  });

  it('makes tables in the schema public, also if a schema is named like its user', async () => {
    await owner.query(`create schema ${OWNER} authorization ${OWNER}`);
    await migrate(url);
    const { rows } = await owner.query("select schemaname from pg_tables where tablename = 'migration'");
    expect(rows).toStrictEqual([{ schemaname: 'public' }]);
    await expect(migrate(url)).resolves.toBeUndefined();
  });

  it('has a time limit for each statement, by the kind of its work', async () => {
    const limit = async (client: pg.ClientBase): Promise<string> =>
      (await client.query<{ statement_timeout: string }>('show statement_timeout')).rows[0]?.statement_timeout ?? '';
    const limits = ['request', 'background', 'maintenance'] as const;
    const shown: string[] = [];
    for (const statements of limits) shown.push(await onConnection(new SessionClient(connectionConfig(url, { statements })), limit));
    expect(shown).toStrictEqual(['20s', '5min', '12h']);
  });

  describe.each(['disable', 'prefer'])('whose network drops it without a word, with sslmode=%s,', (sslmode) => {
    const session = { statements: 'request', responseLimitMs: 1_000 } as const;
    let proxy: SilentProxy;
    let pool: Pool;

    beforeEach(async () => {
      const through = new URL(url);
      proxy = await startSilentProxy(Number(through.port), through.hostname);
      [through.hostname, through.port] = ['127.0.0.1', String(proxy.port)];
      through.searchParams.set('sslmode', sslmode);
      pool = createPool(through.href, 1, () => undefined, session);
    });
    afterEach(async () => {
      await pool.end();
      await proxy.close();
    });

    it.each<[string, () => Promise<unknown>]>([
      [
        'a statement',
        async () => {
          await pool.query('select 1');
          proxy.silence();
          await pool.query('select 1');
        },
      ],
      [
        'a transaction',
        () =>
          inTransaction(pool, async (client) => {
            proxy.silence();
            await client.query('select 1');
          }),
      ],
      [
        'a borrowed connection',
        () =>
          withClient(pool, async (client) => {
            proxy.silence();
            await client.query('select 1');
          }),
      ],
    ])('fails %s and is replaced', async (_what, work) => {
      await expect(work()).rejects.toThrow('Connection terminated unexpectedly');
      proxy.speak();
      // The other end of a new connection must respond within the short limit, too.
      const rows = await until(() =>
        pool.query('select 1 as one').then(
          (result) => result.rows as unknown[],
          () => undefined,
        ),
      );
      expect(rows).toStrictEqual([{ one: 1 }]);
    });

    it('stays as it is while no statement runs on it', async () => {
      const stays = (): Promise<boolean> =>
        onConnection(clientLike(pool, session), async (idle) => {
          const before = (await idle.query('select pg_backend_pid() as pid')).rows;
          await pool.query('select 1');
          proxy.silence();
          // This fails after the time in which the other connection would have ended, too.
          await expect(pool.query('select 1')).rejects.toThrow();
          proxy.speak();
          expect((await idle.query('select pg_backend_pid() as pid')).rows).toStrictEqual(before);
          return true;
        });
      // A response that a busy machine delays beyond the short limit ends its connection, so another round is needed then.
      await until(() => stays().catch(() => false));
    });
  });

  it('leaves no connection behind if its settings are refused', async () => {
    const name = `latin_${database.url.slice(-12)}`;
    await owner.query(`create database ${name} template template0 encoding 'LATIN1' locale 'C'`);
    const latin = new URL(url);
    latin.pathname = `/${name}`;
    const pool = createPool(latin.href, 2, () => undefined);
    try {
      await expect(pool.query('select 1')).rejects.toThrow('has the encoding LATIN1');
      await expect(new AdvisoryLocks(pool).withLock('any', () => Promise.resolve())).rejects.toThrow('has the encoding LATIN1');
      expect(pool.totalCount).toBe(0);
      // PostgreSQL counts a session for a moment after its connection has ended.
      const sessions = 'select from pg_stat_activity where datname = $1 and state is distinct from $2';
      await until(async () => ((await owner.query(sessions, [name, null])).rowCount ?? 0) <= 1);
    } finally {
      await pool.end();
      await owner.query(`drop database ${name} with (force)`);
    }
  });
});
