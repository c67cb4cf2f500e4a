import { type Pool } from 'pg';

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
  /** Like instancePresence, of an instance that serves reads (other-instances.ts). */
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
