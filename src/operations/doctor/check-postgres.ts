import { type Pool } from 'pg';
import { parsePresenceName } from '../../platform/database/instances/instance-presence.js';
import { connectionsOf } from '../../stores/stores.js';
import { migrationsList } from '../../stores/migrations.js';
import { ROLES } from '../../settings/types.js';
import { attempt, clockFinding, failure, type Finding, ok, reasonOf, warning } from './finding.js';
import { postgresSupport } from './support-dates.js';
import { connectionConfig } from '../../platform/database/pool.js';
import { refuseUnfitPooler } from '../../platform/database/refuse-unfit-pooler.js';
import { DatabaseUnusable } from '../../platform/database/session-settings.js';

const OLDEST_VERSION = 140_000;
const CONNECTIONS_OF_A_PROCESS = connectionsOf(ROLES);

const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'Correct the password in DATABASE_URL.',
  '28000': 'Allow the user in DATABASE_URL to connect from this host (pg_hba.conf), or correct the user.',
  '3D000': 'Create the database that DATABASE_URL names, with encoding UTF8.',
  '53300': 'All connections are in use: raise max_connections, or stop a client that holds many.',
  ECONNREFUSED: 'Start it, or correct host and port in DATABASE_URL.',
  '57P03': 'It is starting or stopping: wait, and look at its log if this lasts.',
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
  readonly connections_max: number;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
  readonly others: number;
}

const SERVER = `select current_setting('server_version') as version, current_setting('server_version_num')::int as version_number,
  current_setting('server_encoding') as encoding, has_database_privilege(current_database(), 'create') as may_create,
  array(select nspname::text from pg_namespace where nspname in ('read', 'ops', 'key_store') and not has_schema_privilege(oid, 'usage, create')) as closed,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
  current_setting('transaction_read_only') = 'on' as is_read_only, pg_is_in_recovery() as is_standby, current_setting('max_connections')::int as connections_max,
  (select min(most - used)::int from (
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - coalesce(current_setting('reserved_connections', true)::int, 0) as most,
      count(*) as used from pg_stat_activity where backend_type = 'client backend'
    union all select datconnlimit, (select count(*) from pg_stat_activity where datname = current_database()) from pg_database where datname = current_database() and datconnlimit >= 0
    union all select rolconnlimit, (select count(*) from pg_stat_activity where usename = current_user) from pg_roles where rolname = current_user and rolconnlimit >= 0) limits) as connections_left,
  (select count(*) from pg_stat_activity where datname = current_database() and starts_with(application_name, current_setting('application_name')) and pid <> pg_backend_pid())::int as others`;

/**
 * Checks version, writes, encoding, permissions, free connections, clock and migrations of the database.
 * @param now this host's clock, in ms since 1970
 */
export async function checkPostgres(pool: Pool, now: () => number): Promise<readonly Finding[]> {
  try {
    // The first query opens the connection, so that the second is quick enough to compare the clocks.
    await pool.query('select 1');
    const before = now();
    const {
      rows: [server],
    } = await pool.query<Server>(SERVER);
    const skewMs = (server?.now_ms ?? 0) - (before + now()) / 2;
    if (!server) return [];
    return [
      ...ofServer(server),
      ...postgresSupport(server.version_number, now()),
      clock(skewMs),
      ...(await attempt('clocks of the instances', 'Allow the user in DATABASE_URL to read pg_stat_activity.', () => instanceClocks(pool))),
      ...(await attempt('migrations', 'Allow the user in DATABASE_URL to read the table public.migration.', () => migrations(pool))),
    ];
  } catch (error) {
    return [failure('PostgreSQL', reasonOf(error), ADVICE[codeOf(error)] ?? 'Start it, or correct DATABASE_URL.')];
  }
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { readonly code?: string; readonly errors?: readonly { readonly code?: string }[] };
  return code ?? errors?.[0]?.code ?? '';
}

function ofServer(server: Server): readonly Finding[] {
  const { version, version_number, encoding, may_create, closed, others } = server;
  return [
    version_number >= OLDEST_VERSION
      ? ok('PostgreSQL', `version ${version}`)
      : failure('PostgreSQL', `version ${version}`, 'Upgrade to version 14 or newer.'),
    ...readOnly(server),
    encoding === 'UTF8'
      ? ok('encoding', encoding)
      : failure('encoding', encoding, 'Create a database with encoding UTF8, and restore a backup into it.'),
    may_create
      ? ok('permissions', 'may create schemas')
      : failure(
          'permissions',
          'may not create schemas',
          'As the owner of the database, run: grant create on database … to the user in DATABASE_URL. Migrations and rebuilds create schemas.',
        ),
    ...closed.map((schema) =>
      failure(
        'permissions',
        `may not use the schema ${schema}`,
        `As the owner of the schema, run: grant usage, create on schema ${schema} to the user in DATABASE_URL; or make that user its owner.`,
      ),
    ),
    connections(server),
    ok(
      'running service',
      others > 0 ? `processes and commands of the service hold ${others} connections to this database` : 'not connected to this database',
    ),
  ];
}

function readOnly({ is_standby, is_read_only }: Server): readonly Finding[] {
  if (!is_read_only) return [];
  return is_standby
    ? [failure('writes', 'this server is a standby, which is read-only', 'Point DATABASE_URL at the primary, or promote this server.')]
    : [
        failure(
          'writes',
          'the database is read-only',
          'Reset default_transaction_read_only for the server, the database and the user in DATABASE_URL. Some providers set it when the disk is almost full: free space first.',
        ),
      ];
}

/** Judges the connections that the user in DATABASE_URL may still open, by the limits of the server, the database and the user. */
function connections({ connections_left, connections_max }: Server): Finding {
  const found = `${connections_left} free (max_connections is ${connections_max})`;
  if (connections_left >= CONNECTIONS_OF_A_PROCESS) return ok('connections', found);
  const todo = `Raise max_connections or the limit of the database or the user, or end a client that holds many: a process with all roles opens up to ${CONNECTIONS_OF_A_PROCESS}.`;
  // Running processes hold theirs; without a free one they cannot replace a connection that breaks.
  return connections_left > 0 ? warning('connections', found, todo) : failure('connections', found, todo);
}

/**
 * Compares the clocks. The database's clock alone decides when leases end and when deliveries are due; the times in events come from this
 * host's.
 */
function clock(skewMs: number): Finding {
  const found = `PostgreSQL’s clock is ${Math.abs(skewMs / 1_000).toFixed(3)} s ${skewMs < 0 ? 'behind' : 'ahead of'} this host’s`;
  return clockFinding('clock', found, skewMs);
}

/** Reports the clock of each running instance as its presence shows it (src/platform/database/instances/instance-presence.ts). */
async function instanceClocks(pool: Pool): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ name: string; host: string | null }>(
    "select application_name as name, host(client_addr) as host from pg_stat_activity where datname = current_database() and application_name like 'rupa-ledger instance %'",
  );
  return rows.flatMap(({ name, host }) => {
    const instance = parsePresenceName(name);
    if (!instance) return [];
    const who = `instance ${instance.instance} on ${host ?? 'this host'}`;
    const seconds = Math.abs(instance.clockAheadMs / 1_000).toFixed(3);
    const found = `the clock of ${who} is ${seconds} s ${instance.clockAheadMs < 0 ? 'behind' : 'ahead of'} PostgreSQL’s`;
    return [clockFinding('clock of an instance', found, instance.clockAheadMs)];
  });
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
  if (foreign !== undefined) return failure('migrations', `${foreign} belongs to a newer version of the service`, 'Run that version.');
  const due = known.filter((name) => !applied.includes(name));
  return due.length === 0
    ? ok('migrations', `all ${known.length} applied`)
    : warning('migrations', `${due.length} of ${known.length} not applied yet`, 'The next start applies them.');
}

/** Reports a connection pooler that shares sessions between connections. Whether PostgreSQL answers at all is the next check's to report. */
export async function checkPooler(databaseUrl: string): Promise<readonly Finding[]> {
  try {
    await refuseUnfitPooler(connectionConfig(databaseUrl));
    return [];
  } catch (error) {
    if (!(error instanceof DatabaseUnusable)) return [];
    return [failure('PostgreSQL', error.message, 'The service does not start before the pooler or DATABASE_URL is changed.')];
  }
}
