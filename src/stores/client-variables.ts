import { isLoopback } from '../platform/event-sourcing/event-store-url.js';
import { type Environment } from '../settings/files.js';

// Variables that the clients of the stores read by themselves, beside the settings of the service.

/** Variables of pg, with the parameter of a URL that has precedence. */
const OF_POSTGRES: readonly (readonly [name: string, ...parameters: string[]])[] = [
  ['PGSSLMODE', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert'],
  ['PGSSLNEGOTIATION', 'sslnegotiation'],
  ['PGOPTIONS', 'options'],
  ['PGCLIENT_ENCODING', 'client_encoding'],
  ['PGREPLICATION', 'replication'],
];
/** Variables of pg that stand for a part of the URL, by the part. */
const PARTS = [
  ['PGHOST', 'hostname', 'host'],
  ['PGPORT', 'port', 'port'],
  ['PGUSER', 'username', 'user'],
  ['PGPASSWORD', 'password', 'password'],
  ['PGDATABASE', 'pathname', 'database'],
] as const;
/** Variables of grpc-js that name a proxy; the first one that is set counts. */
const PROXIES = ['grpc_proxy', 'https_proxy', 'http_proxy'];

/**
 * Removes the variables that pg reads from the environment of this process. They are meant for other databases than the embedded one, which
 * would not start with some of them, and whose address is complete without them.
 */
export function ignorePostgresVariables(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(env)) if (/^PG[A-Z]/.test(name)) Reflect.deleteProperty(env, name);
}

/** Returns what to append to the reason why PostgreSQL cannot be reached: the variables that change how pg connects to this URL. */
export function postgresNote(databaseUrl: string, env: Environment = process.env): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  const has = (parameter: string): boolean => new RegExp(`[?&]${parameter}=`).test(databaseUrl);
  const names = [
    ...OF_POSTGRES.filter(([name, ...parameters]) => env[name] && !parameters.some(has)).map(([name]) => name),
    ...PARTS.filter(([name, part, parameter]) => env[name] && url && /^\/?$/.test(url[part]) && !has(parameter)).map(([name]) => name),
  ];
  if (names.length === 0) return '';
  const [verb, them] = names.length === 1 ? ['changes', 'it'] : ['change', 'them'];
  return `; ${names.join(', ')} in the environment ${verb} how the service connects: unset ${them} if that is not meant`;
}

/** Returns what to append to the reason why the event store cannot be reached: the variable that names the proxy to which gRPC connects. */
export function eventStoreNote(eventStoreUrl: string, env: Environment = process.env): string {
  const name = hostsIn(eventStoreUrl).split(',').every(isLoopback) ? undefined : PROXIES.find((each) => env[each]);
  if (name === undefined) return '';
  return `; ${name} in the environment names a proxy, through which gRPC connects to every host that no_grpc_proxy or no_proxy does not name: unset ${name}, or add the host to no_grpc_proxy`;
}

/** Returns the host part of a URL, or the folder of the socket that its parameter `host` names, without user and password. */
export function hostsIn(url: string): string {
  const withoutUser = url.replace(/^[a-z+]+:\/\//, '').replace(/^[^/?]*@/, '');
  return /^[^/?]+/.exec(withoutUser)?.[0] ?? decodeURIComponent(/[?&]host=([^&]+)/.exec(withoutUser)?.[1] ?? 'the address given');
}
