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

export async function sessionOf(connection: Queries): Promise<number | undefined> {
  const { rows } = await connection.query('select pg_backend_pid() as pid');
  return (rows[0] as { readonly pid: number } | undefined)?.pid;
}
