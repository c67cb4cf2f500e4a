import { DatabaseUnusable } from './session-settings.js';

const LOST_STATEMENT =
  'A prepared statement belongs to another session: a connection pooler must not share sessions (PgBouncer: pool_mode = session).';
/** Why PostgreSQL cannot serve, by SQLSTATE or by the code of the network error. */
const REASONS: Readonly<Record<string, string>> = {
  '22P05': 'The encoding of the database, which must be UTF8, cannot store a text.',
  '25006': 'The database is read-only.',
  '25P03': 'The database ended a transaction that was idle for too long.',
  '25P04': 'The database ended a transaction that took too long.',
  '26000': LOST_STATEMENT,
  '28000': 'The database refuses the user or password in DATABASE_URL.',
  '28P01': 'The database refuses the user or password in DATABASE_URL.',
  '3D000': 'The database that DATABASE_URL names does not exist.',
  '42501': 'The user in DATABASE_URL lacks a permission on the schemas of the service or their tables.',
  '42P05': LOST_STATEMENT,
  '53100': 'The disk of the database is full.',
  '53200': 'The database is out of memory.',
  '53300': 'The database has no connection left.',
  '57014': 'The database cancelled a statement.',
  '57P03': 'The database is starting or stopping.',
  ENOTFOUND: 'The name of the database’s host does not resolve.',
  EAI_AGAIN: 'The name of the database’s host does not resolve.',
};
const NO_ANSWER = 'The database does not answer.';
const BUSY = 'No connection to the database became free in time.';
/**
 * Classes of SQLSTATE that say nothing about the statement: connection, authorization, rollback (deadlock, serialization), resources, object
 * in use (lock time-out), operator intervention, system error, configuration file.
 */
const TEMPORARY_CLASSES = /^(08|28|40|53|55|57|58|F0)[0-9A-Z]{3}$/;
const NETWORK_CALLS = new Set(['connect', 'getaddrinfo', 'read', 'write', 'shutdown']);
/** Codes that a write gets from a file or a device, and never from a connection: the output of a command may be a full disk. */
const FILE_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS']);
const TLS_FAILURE = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/;
/** Messages of the driver, whose own errors have no code. */
const DRIVER_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^timeout exceeded when trying to connect$/, BUSY],
  [/^(timeout expired|Query read timeout)$/, NO_ANSWER],
  [/^Connection terminated/, NO_ANSWER],
  [/^Client (has encountered a connection error|was closed) and is not queryable$/, NO_ANSWER],
  [/^Cannot use a pool after calling end on the pool$/, 'This process is stopping.'],
];

/**
 * Tells an error of PostgreSQL or its driver that passes without a change of the service from an error in the service. This is the only
 * place that decides it: a request gets 503 for the former and 500 for the latter, and a projection is repeated for the former, and stops
 * at the event for the latter.
 * @returns why the database cannot serve at present, as a sentence without names or data; undefined for every other error
 */
export function databaseOutage(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if (error instanceof DatabaseUnusable) return error.message;
  const { code, syscall, message, errors } = error as Partial<Record<'code' | 'syscall' | 'message' | 'errors', unknown>>;
  // The driver tries each address of a host and reports all failures.
  if (Array.isArray(errors)) return databaseOutage(errors[0]);
  if (typeof code !== 'string') return DRIVER_ERRORS.find(([pattern]) => typeof message === 'string' && pattern.test(message))?.[1];
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  if (reason !== undefined) return reason;
  if (TEMPORARY_CLASSES.test(code)) return `The database cannot serve at present (SQLSTATE ${code}).`;
  const isNetwork = (typeof syscall === 'string' && NETWORK_CALLS.has(syscall) && !FILE_CODES.has(code)) || TLS_FAILURE.test(code);
  return isNetwork ? NO_ANSWER : undefined;
}

/** Returns the text of an error for the operator. If the database cannot serve, the reason comes first: the driver's own text may be empty. */
export function withReason(error: Error): string {
  const reason = databaseOutage(error);
  if (reason === undefined) return error.message;
  return error.message === '' || error.message === reason ? reason : `${reason} (${error.message})`;
}
