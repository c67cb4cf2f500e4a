import pg from 'pg';
import { DatabaseUnusable } from './session-settings.js';

/** A pooler gives the session that was used last to the next caller, so the first round usually finds it. */
const ROUNDS = 3;
const PROTOCOL_VIOLATION = '08P01';

/**
 * Refuses a connection pooler that gives the statements of one connection to different sessions of PostgreSQL: PgBouncer with `pool_mode`
 * transaction or statement, and poolers like it. There, settings, advisory locks, prepared statements and notifications, all of which the
 * service needs, belong to the program that gets the session next. Nothing is set or locked to find that out, because it would reach other programs.
 * @param config without `session`, of a connection that is not yet set up
 * @throws DatabaseUnusable, and the errors of the driver
 */
export async function refuseSharedSessions(config: pg.ClientConfig): Promise<void> {
  const clients = [new pg.Client(config), new pg.Client(config)] as const;
  try {
    for (const client of clients) {
      client.on('error', () => undefined);
      await client.connect();
    }
    if (await areShared(...clients)) throw new DatabaseUnusable(SENTENCE);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

const SENTENCE =
  'DATABASE_URL leads to a connection pooler that shares sessions of PostgreSQL between connections (PgBouncer with pool_mode = transaction or statement). The service needs sessions of its own, for notifications, locks and settings: set pool_mode = session for its database in the pooler, or name PostgreSQL itself in DATABASE_URL.';

async function areShared(one: pg.Client, other: pg.Client): Promise<boolean> {
  const session = await sessionOf(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    try {
      await other.query('begin');
    } catch (error) {
      // A pooler that shares after each statement knows no transactions.
      if ((error as { code?: unknown }).code === PROTOCOL_VIOLATION) return true;
      throw error;
    }
    const [taken, now] = [await sessionOf(other), await sessionOf(one)];
    await other.query('rollback');
    if (taken === session || now !== session) return true;
  }
  return false;
}

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
