import { type Pool } from 'pg';
import { clientLike } from '../session-client.js';

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
