import { type Pool } from 'pg';
import { clientLike } from '../session-client.js';

/** Numbers of the session-level advisory locks in PostgreSQL. They are listed in one place so that none is used twice. */
export const LOCKS = {
  migrations: 7_205_001,
  projector: 7_205_002,
  webhookSubscriber: 7_205_003,
  rebuild: 7_205_004,
  eraser: 7_205_005,
  keyRotation: 7_205_006,
  /** The first of the two numbers of an instance's lock; the second is the instance's own (instance-presence.ts). */
  instancePresence: 7_205_007,
  checkpoints: 7_205_008,
  /** Like instancePresence, of an instance that serves reads. */
  servesReads: 7_205_009,
} as const;

/** Returns whether any connection to this database holds the lock. */
export async function isHeld(pool: Pool, lock: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1 and granted
       and database = (select oid from pg_database where datname = current_database())`,
    [lock],
  );
  return (rowCount ?? 0) > 0;
}

/**
 * Named mutexes across all instances, made of PostgreSQL's advisory locks. A waiting caller holds no connection of the pool, because the
 * lock's holder may need one; each instance waits for a lock with one connection of its own.
 */
export class AdvisoryLocks {
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(private readonly pool: Pool) {}

  async withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const locked = before.catch(() => undefined).then(() => this.locked(name, work));
    this.last.set(name, locked);
    try {
      return await locked;
    } finally {
      if (this.last.get(name) === locked) this.last.delete(name);
    }
  }

  private async locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    const client = clientLike(this.pool, { statements: 'maintenance' });
    await client.connect();
    try {
      // PostgreSQL releases the lock when the connection ends, however it ends.
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
      return await work();
    } finally {
      await client.end();
    }
  }
}
