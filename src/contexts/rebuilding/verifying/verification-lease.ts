import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';

const EVERY = '1 hour';
/** How long no process verifies after a verification, also after one that failed or took most of the hour. */
const PAUSE = '10 minutes';
/** Several times the interval at which the lease is renewed. */
const LEASE = '5 minutes';

/**
 * Says when the next verification is due, by the database's clock, and lets one process run it. A claim moves `due_at` to the end of the lease,
 * so that another process takes over from one that was killed. The first verification is due an hour after the first start, and each later
 * one an hour after the one before began.
 */
export class VerificationLease {
  private readonly holder = randomUUID();

  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /** Takes the lease if a verification is due. Returns whether it did. */
  async claim(): Promise<boolean> {
    await this.pool.query(`insert into ops.verification (id, due_at) values (true, now() + interval '${EVERY}') on conflict do nothing`);
    // No process writes a time that is more than an hour ahead: somebody edited it, or the database's clock was wrong.
    return await this.update(
      `begun_at = now(), due_at = now() + interval '${LEASE}', holder = $1 where due_at not between now() and now() + interval '${EVERY}'`,
    );
  }

  /** Returns false if the lease has run out: another process may verify. */
  async renew(): Promise<boolean> {
    return await this.update(`due_at = now() + interval '${LEASE}' where holder = $1 and due_at > now()`);
  }

  /** Gives the lease back. */
  async end(isDone: boolean): Promise<void> {
    const hourly = isDone ? `greatest(begun_at + interval '${EVERY}', now() + interval '${PAUSE}')` : `now() + interval '${PAUSE}'`;
    await this.update(`holder = null, due_at = ${hourly} where holder = $1 and due_at > now()`);
  }

  private async update(change: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(`update ops.verification set ${change}`, [this.holder]);
    return rowCount === 1;
  }
}
