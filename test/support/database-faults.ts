import pg from 'pg';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.js';

/** Something that keeps PostgreSQL from serving, until it is mended. */
export interface DatabaseFault {
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface FaultyDatabase {
  /** The URL for the service, which connects with a role of its own that PostgreSQL can limit. */
  readonly url: string;
  readonly faults: Readonly<Record<string, DatabaseFault>>;
  /** Executes a statement as superuser in the service's database. */
  execute(sql: string): Promise<void>;
  close(): Promise<void>;
}

const ROLE = 'ledger';
/** Errors that PostgreSQL reports for a statement that writes; they are raised by a trigger of every table. */
const FAILED_WRITES: Readonly<Record<string, string>> = {
  'its disk is full': '53100',
  'it is out of memory': '53200',
  'its disk fails': '58030',
  'transactions cannot be serialized': '40001',
  'transactions deadlock': '40P01',
};

/** Starts a PostgreSQL of the test's own. Its faults affect the service's role only, so that the test can end them. */
export async function startFaultyDatabase(): Promise<FaultyDatabase> {
  const postgres = await startOwnPostgres();
  await execute(postgres.url, `create role ${ROLE} login password '${ROLE}'`);
  await execute(postgres.url, `create database ${ROLE} owner ${ROLE}`);
  const own = new URL(postgres.url);
  own.pathname = `/${ROLE}`;
  const url = new URL(own);
  url.username = ROLE;
  url.password = ROLE;
  return {
    url: url.href,
    faults: faultsOf(postgres, own.href),
    execute: (sql) => execute(own.href, sql),
    close: () => postgres.close(),
  };
}

function faultsOf(postgres: OwnPostgres, own: string): Record<string, DatabaseFault> {
  const disconnect = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${ROLE}'`;
  /** The statements take effect in new sessions. */
  const changed = (broken: string, mended: string): DatabaseFault => ({
    begin: () => execute(postgres.url, broken, disconnect),
    end: () => execute(postgres.url, mended, disconnect),
  });
  const role = (broken: string, mended: string): DatabaseFault => changed(`alter role ${ROLE} ${broken}`, `alter role ${ROLE} ${mended}`);
  const failedWrites = Object.entries(FAILED_WRITES).map(([name, code]): [string, DatabaseFault] => [name, failingWrites(own, code)]);
  return {
    'it has no connection left': role('connection limit 0', 'connection limit -1'),
    'it opens no further connection': {
      begin: () => execute(postgres.url, `alter role ${ROLE} connection limit 0`),
      end: () => execute(postgres.url, `alter role ${ROLE} connection limit -1`),
    },
    'it ends all connections': { begin: () => execute(postgres.url, disconnect), end: () => Promise.resolve() },
    'it is read-only': role('set default_transaction_read_only = on', 'reset default_transaction_read_only'),
    'it cancels statements': role("set statement_timeout = '1ms'", 'reset statement_timeout'),
    'it refuses the user': role('nologin', 'login'),
    'it admits nobody to the database': changed(
      `alter database ${ROLE} allow_connections false`,
      `alter database ${ROLE} allow_connections true`,
    ),
    'its tables are locked': locked(postgres.url, own, disconnect),
    'it is frozen': {
      begin: () => {
        postgres.pause();
        return Promise.resolve();
      },
      end: () => {
        postgres.resume();
        return Promise.resolve();
      },
    },
    'it is killed': { begin: () => postgres.kill(), end: () => postgres.restart() },
    ...Object.fromEntries(failedWrites),
  };
}

function locked(cluster: string, own: string, disconnect: string): DatabaseFault {
  let holder: pg.Client | undefined;
  return {
    begin: async () => {
      await execute(cluster, `alter role ${ROLE} set lock_timeout = '50ms'`, disconnect);
      holder = new pg.Client({ connectionString: own });
      await holder.connect();
      await holder.query('begin; lock table read.farmer_profile, ops.stored_response, ops.checkpoint in access exclusive mode');
    },
    end: async () => {
      await holder?.end();
      await execute(cluster, `alter role ${ROLE} reset lock_timeout`, disconnect);
    },
  };
}

/** Makes every statement fail that writes to a table of the service. The tables must exist. */
function failingWrites(own: string, code: string): DatabaseFault {
  const raise = (body: string): string =>
    `create or replace function public.injected() returns trigger language plpgsql as $$ begin ${body} end $$`;
  return {
    begin: async () => {
      await execute(own, raise(`raise exception 'injected' using errcode = '${code}';`), ...(await triggers(own)));
    },
    end: () => execute(own, raise('return null;')),
  };
}

/** Returns one statement for each table. Together in a transaction, they would deadlock with the projector's. */
async function triggers(own: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: own });
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('ops', 'read', 'key_store')",
    );
    return rows.map(
      ({ name }) => `create or replace trigger injected before insert or update or delete on ${name} execute function public.injected()`,
    );
  } finally {
    await client.end();
  }
}

async function execute(connectionString: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
