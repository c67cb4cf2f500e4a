import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { eventStoreNote, hostsIn, ignorePostgresVariables, postgresNote } from './client-variables.js';

const EMBEDDED = 'postgres://postgres:secret@127.0.0.1:5433/rupa';

describe('a connection to the embedded PostgreSQL', () => {
  const { env } = process;
  let values: Record<string, string | undefined>;
  let read: Set<string>;

  beforeEach(() => {
    values = {};
    read = new Set();
    process.env = new Proxy(values, {
      get: (target, name) => {
        read.add(String(name));
        return Reflect.get(target, name) as unknown;
      },
    });
  });
  afterEach(() => {
    process.env = env;
  });

  /** Returns the parameters with which pg connects, from the URL and the environment. */
  const parameters = (): string =>
    JSON.stringify((new pg.Client({ connectionString: EMBEDDED }) as unknown as { connectionParameters: unknown }).connectionParameters);

  it('depends on no variable that pg reads', () => {
    const clean = parameters();
    expect(read).toContain('PGSSLMODE');
    for (const name of read) if (name !== 'USER') values[name] = name === 'PGSSLNEGOTIATION' ? 'postgres' : 'require';
    expect(parameters()).not.toBe(clean);
    ignorePostgresVariables(process.env);
    expect(parameters()).toBe(clean);
    expect(Object.values(values)).toStrictEqual([]);
  });

  it('leaves every other variable as it is', () => {
    Object.assign(values, { PATH: '/bin', PG: 'x', APGX: 'y', pgsslmode: 'z', PGOPTIONS: '-c a=b' });
    ignorePostgresVariables(process.env);
    expect(values).toStrictEqual({ PATH: '/bin', PG: 'x', APGX: 'y', pgsslmode: 'z' });
  });
});

describe('the note about an external PostgreSQL that cannot be reached', () => {
  it('names exactly the variables that change how pg connects', () => {
    const env = { PGSSLMODE: 'require', PGOPTIONS: '-c a=b', PGHOST: 'x', PGDATABASE: 'y', PGUSER: '' };
    expect(postgresNote('postgres://u:p@db/rupa', env)).toBe(
      '; PGSSLMODE, PGOPTIONS in the environment change how the service connects: unset them if that is not meant',
    );
    expect(postgresNote('postgres://u:p@db/?sslmode=disable&options=x', env)).toBe(
      '; PGDATABASE in the environment changes how the service connects: unset it if that is not meant',
    );
    expect(postgresNote('postgres://u:p@/rupa?host=/run&sslmode=disable&options=x', env)).toBe('');
    expect(postgresNote('postgres://u:p@db/rupa', {})).toBe('');
  });
});

describe('the note about an external event store that cannot be reached', () => {
  it('names the variable that gRPC takes its proxy from', () => {
    const both = { https_proxy: 'http://proxy:3128', http_proxy: 'http://other:3128' };
    expect(eventStoreNote('esdb://events:2113?tls=true', both)).toContain('; https_proxy in the environment names a proxy');
    expect(eventStoreNote('esdb://events:2113', { ...both, grpc_proxy: 'http://proxy' })).toContain('; grpc_proxy in the environment');
    expect(eventStoreNote('esdb://events:2113', {})).toBe('');
  });

  it('is empty for a store on this machine, for which no proxy is used', () => {
    const env = { https_proxy: 'http://proxy:3128' };
    for (const hosts of ['127.0.0.1:2113', 'localhost', '127.0.0.2:1,localhost:2']) expect(eventStoreNote(`esdb://${hosts}`, env)).toBe('');
    for (const hosts of ['localhost.example', '127.0.0.1:1,events:2', '1127.0.0.1'])
      expect(eventStoreNote(`esdb://${hosts}`, env)).not.toBe('');
  });
});

describe('the host of a URL', () => {
  it('is shown without any part of the password, whatever that contains', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z@:]{0,6}hunter2[a-z@:]{0,6}$/), (secret) => {
        expect(hostsIn(`postgres://user:${secret}@db:5432/rupa`)).toBe('db:5432');
        expect(hostsIn(`postgres://user:${secret}@/rupa?host=/run/postgresql`)).toBe('/run/postgresql');
        expect(hostsIn(`postgres://user:${secret}@/rupa`)).toBe('the address given');
      }),
    );
  });
});
