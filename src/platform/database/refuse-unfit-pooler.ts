import pg from 'pg';
import { DatabaseUnusable } from './session-settings.js';

/** The classes of SQLSTATE for connections and resources, with which a pooler and PostgreSQL refuse one connection too many. */
const REFUSED = /^(08|53)/;
/** The driver's errors for a connection and a statement without a response. */
const NO_RESPONSE = /^(timeout expired|Query read timeout)$/;

const SHARED =
  'DATABASE_URL leads to a connection pooler that shares sessions of PostgreSQL between connections (PgBouncer with pool_mode = transaction or statement). The service needs sessions of its own, for notifications, locks and settings: set pool_mode = session for its database in the pooler, or name PostgreSQL itself in DATABASE_URL.';

/** Milliseconds after which a connection of the service that waits for a session fails. A pooler logs in to PostgreSQL for one after the other. */
const SESSION_MS = 10_000;
/** The connections that {@link shareSessions} compares. */
const COMPARED = 2;

/**
 * Refuses a connection pooler that gives the statements of one connection to different sessions of PostgreSQL, or that has fewer sessions
 * than this process uses: a connection that waits for a session delays its call for seconds. Nothing is set or locked to find that out,
 * because it would reach other programs. Without a pooler, only PostgreSQL limits the connections.
 * @param config without `session`, of a connection that is not yet set up
 * @param connections how many connections this process opens at most; by default, only the sharing is checked
 * @throws DatabaseUnusable, and the errors of the driver
 */
export async function refuseUnfitPooler(config: pg.ClientConfig, connections = COMPARED): Promise<void> {
  const opened: pg.Client[] = [];
  const open = async (more: pg.ClientConfig = {}): Promise<pg.Client> => {
    const client = new pg.Client({ ...config, ...more });
    client.on('error', () => undefined);
    opened.push(client);
    await client.connect();
    return client;
  };
  try {
    const [one, other] = [await open(), await open()];
    const isPooled = processIdOf(one) !== (await sessionOf(one));
    const explain = (error: unknown): never => {
      throw isPooled && isRefusal(error) ? new DatabaseUnusable(tooSmall(connections, error as Error)) : error;
    };
    if (await shareSessions(one, other).catch(explain)) throw new DatabaseUnusable(SHARED);
    const limits = { connectionTimeoutMillis: SESSION_MS, query_timeout: SESSION_MS };
    const openSession = async (): Promise<unknown> => await sessionOf(await open(limits));
    if (isPooled) await Promise.all(Array.from({ length: connections - COMPARED }, openSession)).catch(explain);
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => undefined)));
  }
}

/** A pooler tells each connection a process id of its own: it has not chosen the session yet. */
function processIdOf(client: pg.Client): number {
  return (client as unknown as { readonly processID: number }).processID;
}

function isRefusal(error: unknown): boolean {
  const { code, message } = error as Partial<Record<'code' | 'message', unknown>>;
  return typeof code === 'string' ? REFUSED.test(code) : typeof message === 'string' && NO_RESPONSE.test(message);
}

function tooSmall(connections: number, { message }: Error): string {
  return `DATABASE_URL leads to a connection pooler without enough sessions of PostgreSQL for this process, which opens up to ${connections} connections (${message}). In the pooler, raise the number of sessions for the service's database to that of all processes together (PgBouncer: default_pool_size, and max_client_conn), and keep max_connections of PostgreSQL above it.`;
}

/** The part of a connection that the comparison uses. */
export interface Queries {
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>;
}

/** PostgreSQL's other programs may take sessions from the pooler meanwhile, which can hide one comparison, but hardly so many. */
const ROUNDS = 12;
const PROTOCOL_VIOLATION = '08P01';

/**
 * Returns whether two connections get sessions of PostgreSQL from the same pool. In each round, the first one runs two statements, which a
 * pooler that takes turns gives to different sessions. Then the other one begins a transaction, for which a pooler that prefers the session
 * used last takes the session of the first one.
 */
export async function shareSessions(one: Queries, other: Queries): Promise<boolean> {
  const session = await sessionOf(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    if ((await sessionOf(one)) !== session || (await sessionOf(one)) !== session) return true;
    if (!(await begins(other))) return true;
    // The first connection is asked last: without a free session, it would wait for the end of the transaction.
    const isShared = (await sessionOf(other)) === session || (await sessionOf(one)) !== session;
    await other.query('rollback');
    if (isShared) return true;
  }
  return false;
}

/** A pooler that shares sessions after each statement refuses transactions. */
async function begins(connection: Queries): Promise<boolean> {
  try {
    await connection.query('begin');
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === PROTOCOL_VIOLATION) return false;
    throw error;
  }
}

async function sessionOf(connection: Queries): Promise<number | undefined> {
  const { rows } = await connection.query('select pg_backend_pid() as pid');
  return (rows[0] as { readonly pid: number } | undefined)?.pid;
}
