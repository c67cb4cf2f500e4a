import { type Pool } from 'pg';
import { migrationsList } from '../migrations.js';
import { attempt, failure, type Finding, ok, reasonOf, warning } from './finding.js';

const OLDEST_VERSION = 140_000;
/** What one process with all roles opens: its two pools, and single connections that listen or hold a lock. */
const CONNECTIONS_OF_A_PROCESS = 30;
const CLOCK_WARNING_MS = 1_000;
const CLOCK_FAILURE_MS = 30_000;

const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'Correct the password in DATABASE_URL.',
  '28000': 'Let this user connect from this host: pg_hba.conf, and the user in DATABASE_URL.',
  '3D000': 'Create the database that DATABASE_URL names, with encoding UTF8.',
  '53300': 'All its connections are taken: raise max_connections, or stop what holds them.',
  ECONNREFUSED: 'Start it, or correct host and port in DATABASE_URL.',
  ENOTFOUND: 'Correct the host in DATABASE_URL.',
};

interface Server {
  readonly version: string;
  readonly version_number: number;
  readonly encoding: string;
  readonly may_create: boolean;
  readonly closed: readonly string[];
  readonly now_ms: number;
  readonly connections_left: number;
  readonly others: number;
}

const SERVER = `select current_setting('server_version') as version, current_setting('server_version_num')::int as version_number,
  current_setting('server_encoding') as encoding, has_database_privilege(current_database(), 'create') as may_create,
  array(select nspname::text from pg_namespace where nspname in ('read', 'ops', 'key_store') and not has_schema_privilege(oid, 'usage, create')) as closed,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as connections_left,
  (select count(*) from pg_stat_activity where datname = current_database() and application_name = current_setting('application_name') and pid <> pg_backend_pid())::int as others`;

/** @param now this host's clock, in ms since 1970 */
export async function checkPostgres(pool: Pool, now: () => number): Promise<readonly Finding[]> {
  try {
    // The first one connects: only the second is quick enough to compare clocks by.
    await pool.query('select 1');
    const before = now();
    const {
      rows: [server],
    } = await pool.query<Server>(SERVER);
    const skewMs = (server?.now_ms ?? 0) - (before + now()) / 2;
    if (!server) return [];
    return [
      ...ofServer(server),
      clock(skewMs),
      ...(await attempt('migrations', 'Let DATABASE_URL’s user read the table public.migration.', () => migrations(pool))),
    ];
  } catch (error) {
    return [failure('PostgreSQL', reasonOf(error), ADVICE[codeOf(error)] ?? 'Start it, or correct DATABASE_URL.')];
  }
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { readonly code?: string; readonly errors?: readonly { readonly code?: string }[] };
  return code ?? errors?.[0]?.code ?? '';
}

function ofServer({ version, version_number, encoding, may_create, closed, connections_left, others }: Server): readonly Finding[] {
  return [
    version_number >= OLDEST_VERSION
      ? ok('PostgreSQL', `version ${version}`)
      : failure('PostgreSQL', `version ${version}`, 'Move to version 14 or newer.'),
    encoding === 'UTF8'
      ? ok('encoding', encoding)
      : failure('encoding', encoding, 'Create the database with encoding UTF8, and restore into that one.'),
    may_create
      ? ok('permissions', 'may create schemas')
      : failure(
          'permissions',
          'may not create schemas',
          'As its owner: grant create on database … to the user in DATABASE_URL. Migrations and rebuilds need it.',
        ),
    ...closed.map((schema) =>
      failure(
        'permissions',
        `may not use the schema ${schema}`,
        `As its owner: grant usage, create on schema ${schema} to the user in DATABASE_URL, or make that user its owner.`,
      ),
    ),
    connections_left >= CONNECTIONS_OF_A_PROCESS
      ? ok('connections', `${connections_left} left`)
      : warning(
          'connections',
          `${connections_left} left`,
          `A process with all roles opens up to ${CONNECTIONS_OF_A_PROCESS}: raise max_connections.`,
        ),
    ok(
      'running service',
      others > 0 ? `its processes and commands have ${others} connections to this database` : 'none is connected to this database',
    ),
  ];
}

/** Leases and the times of attempts are the database's; what is recorded, and how long a secret still signs, are this host's. */
function clock(skewMs: number): Finding {
  const found = `PostgreSQL’s is ${Math.abs(skewMs / 1_000).toFixed(3)} s ${skewMs < 0 ? 'behind' : 'ahead of'} this host’s`;
  const todo = 'Have both hosts follow a time server (NTP), and see which one does not.';
  if (Math.abs(skewMs) >= CLOCK_FAILURE_MS) return failure('clock', found, todo);
  return Math.abs(skewMs) >= CLOCK_WARNING_MS ? warning('clock', found, todo) : ok('clock', found);
}

async function migrations(pool: Pool): Promise<Finding> {
  const {
    rows: [table],
  } = await pool.query<{ there: boolean }>("select to_regclass('public.migration') is not null as there");
  const applied = table?.there
    ? (await pool.query<{ name: string }>('select name from public.migration')).rows.map(({ name }) => name)
    : [];
  const known = migrationsList.map(({ name }) => name);
  const [foreign] = applied.filter((name) => !known.includes(name));
  if (foreign !== undefined) return failure('migrations', `${foreign} is of a newer version of the service`, 'Run that version.');
  const due = known.filter((name) => !applied.includes(name));
  return due.length === 0
    ? ok('migrations', `all ${known.length} applied`)
    : warning('migrations', `${due.length} of ${known.length} not applied yet`, 'The next start applies them.');
}
