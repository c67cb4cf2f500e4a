import { setTimeout as delay } from 'node:timers/promises';
import { type PoolClient } from 'pg';
import { LOCKS } from '../../database/instances/locks.js';
import { inTransaction } from '../../database/pool.js';
import {
  announceShown,
  type Checkpoint,
  markFaulted,
  readCheckpoints,
  setCheckpoint,
  shownBy,
  shownPositions,
  highest,
} from '../checkpoints.js';
import { forgetForgedRows } from '../forged-rows.js';
import { announceDirectoryChange } from '../in-memory/directory-lease.js';
import { HiddenStreams } from '../hidden-streams.js';
import { type Projection, tablesOf } from '../projection.js';
import { removeLeftovers, ShadowSchema, type ShadowParts } from './shadow.js';

export interface RebuildResult {
  readonly events: number;
  readonly seconds: number;
  /** Attempts until the swap got its table locks in time. */
  readonly swapAttempts: number;
}

/** Lock timeout of one swap attempt in ms, which bounds how long it blocks readers and the projector. */
const SWAP_LOCK_MS = 150;
const VACUUM_LOCK_MS = 5_000;
const SWAP_ATTEMPTS = 200;
/** Milliseconds between attempts to get the rebuild lock. An attempt that waited in PostgreSQL could not be stopped. */
const LOCK_POLL_MS = 250;
/** Largest distance in log positions that a swap attempt replays while it blocks the projector; beyond it, the attempt is given up. */
const FENCED_POSITIONS_MAX = 20_000n;

/**
 * The choice when a projection fails at an event: keep the live table (`refuse`), or use the incomplete new table (`serve`), if none is
 * live.
 */
export type OnFault = 'refuse' | 'serve';

/**
 * Rebuilds read models from the log in shadow tables and swaps them with the live ones. The projector keeps writing the live tables
 * meanwhile. The swap is one transaction, between two of the projector's batches, at the same position in both.
 * A log that lacks events of a stream replaces no live table (evidence, "History that is missing").
 * An interrupted rebuild is not resumed: its schema is dropped by the next rebuild or the next start, and rebuilding starts from scratch.
 */
export async function rebuild(
  parts: ShadowParts,
  projections: readonly Projection[],
  liveSchema: string,
  onFault: OnFault = 'refuse',
): Promise<RebuildResult> {
  const startedAt = performance.now();
  const hidden = onFault === 'refuse' ? await HiddenStreams.find(parts, projections) : HiddenStreams.none();
  const shadow = await ShadowSchema.create(parts, projections, 'rebuild', hidden);
  try {
    await catchUp(parts, shadow, onFault);
    hidden.refuseIncomplete();
    await shadow.flush();
    await shadow.analyze();
    for (let attempt = 1; ; attempt += 1) {
      parts.signal?.throwIfAborted();
      await catchUp(parts, shadow, onFault);
      if (await trySwap(parts, shadow, liveSchema, onFault))
        return { events: shadow.events, seconds: (performance.now() - startedAt) / 1_000, swapAttempts: attempt };
      if (attempt === SWAP_ATTEMPTS)
        throw new Error(
          `The new tables could not be swapped with the live ones in ${SWAP_ATTEMPTS} attempts, because long transactions hold locks on the live tables. End those transactions and run the rebuild again.`,
        );
      await delay(20 + Math.random() * 80);
    }
  } finally {
    await shadow.drop();
  }
}

/**
 * Runs `work` under the rebuild lock that all instances share, after dropping the schemas of killed rebuilds. Concurrent rebuilds would
 * only compete for the same locks. `onWaiting` is called if another process holds the lock.
 * @throws the signal's reason if it is aborted while this waits for the lock
 */
export async function withRebuildLock<T>(parts: ShadowParts, work: () => Promise<T>, onWaiting?: () => void): Promise<T> {
  const client = await parts.pool.connect();
  try {
    if (!(await tryLock(client))) {
      onWaiting?.();
      do {
        await delay(LOCK_POLL_MS);
        parts.signal?.throwIfAborted();
      } while (!(await tryLock(client)));
    }
    try {
      await removeLeftovers(parts.pool);
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCKS.rebuild]);
    }
  } finally {
    client.release();
  }
}

async function tryLock(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [LOCKS.rebuild]);
  return rows[0]?.held ?? false;
}

async function catchUp({ pool, eventStore }: ShadowParts, shadow: ShadowSchema, onFault: OnFault): Promise<void> {
  const known = await readCheckpoints(pool);
  await replay(shadow, targetOf(shadow, known, (await eventStore.headPosition()) ?? -1n), onFault);
}

/** Replays the log into the shadow tables. @throws Error if a projection faulted and `onFault` is `refuse` */
async function replay(shadow: ShadowSchema, target: bigint, onFault: OnFault): Promise<void> {
  await shadow.replay(target);
  const [faulted] = shadow.faults;
  if (faulted && onFault === 'refuse')
    throw new Error(`The read model ${faulted[0]} cannot be rebuilt, and its live table is unchanged: ${faulted[1].reason}`);
}

/** Returns the highest position of the live tables, or the head of the log if none of them is being projected. */
function targetOf(shadow: ShadowSchema, known: ReadonlyMap<string, Checkpoint>, head: bigint): bigint {
  const live = shadow.tables.flatMap(({ projection: { name } }) => {
    const checkpoint = known.get(name);
    return checkpoint?.fault === null && checkpoint.position !== null ? [BigInt(checkpoint.position)] : [];
  });
  return live.length === 0 ? head : highest(live);
}

/** Returns false, and changes nothing, if a lock was not granted in time or too many events are missing. */
async function trySwap({ pool, eventStore }: ShadowParts, shadow: ShadowSchema, liveSchema: string, onFault: OnFault): Promise<boolean> {
  try {
    return await inTransaction(pool, async (client) => {
      const projections = shadow.tables.map(({ projection }) => projection);
      const names = projections.map(({ name }) => name);
      const tables = tablesOf(projections).map(({ name }) => name);
      await cancelAutovacuum(client, liveSchema, tables);
      await client.query(`set local lock_timeout = ${SWAP_LOCK_MS}`);
      // Locking the checkpoints keeps every projector from writing these tables until the commit.
      const known = await readCheckpoints(client, names);
      const target = targetOf(shadow, known, (await eventStore.headPosition()) ?? -1n);
      if (target - shadow.position > FENCED_POSITIONS_MAX) return false;
      await replay(shadow, target, onFault);
      await shadow.flush();
      await swap(client, shadow.schema, tables, liveSchema);
      for (const { projection } of shadow.tables) await storeCheckpoint(client, shadow, projection);
      await forgetForgedRows(client, tables);
      await announceShown(client, shownBy(await shownPositions(client)));
      await announceDirectoryChange(client);
      return true;
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === '55P03') return false;
    throw error;
  }
}

/**
 * Makes PostgreSQL cancel an autovacuum of the live tables, which it does for a lock that waits longer than deadlock_timeout (1 s).
 * Waiting with this lock mode blocks neither readers nor the projector; waiting with the mode that the swap needs would block both.
 */
async function cancelAutovacuum(client: PoolClient, schema: string, names: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ tablename: string }>(
    'select tablename from pg_tables where schemaname = $1 and tablename = any($2) order by tablename',
    [schema, names],
  );
  if (rows.length === 0) return;
  await client.query(`set local lock_timeout = ${VACUUM_LOCK_MS}`);
  await client.query(`lock table ${rows.map(({ tablename }) => `${schema}.${tablename}`).join(', ')} in share update exclusive mode`);
}

async function storeCheckpoint(client: PoolClient, shadow: ShadowSchema, { name, version }: Projection): Promise<void> {
  const fault = shadow.faults.get(name);
  await setCheckpoint(client, name, version, fault?.position ?? shadow.position);
  if (fault) await markFaulted(client, name, fault.eventPosition, fault.reason);
}

async function swap(client: PoolClient, schema: string, tables: readonly string[], liveSchema: string): Promise<void> {
  await client.query(`create schema ${schema}_old`);
  // Backups exclude the read models and their schema, so after a restore the schema may not exist.
  await client.query(`create schema if not exists ${liveSchema}`);
  for (const name of tables) {
    await client.query(`alter table if exists ${liveSchema}.${name} set schema ${schema}_old`);
    await client.query(`alter table ${schema}.${name} set schema ${liveSchema}`);
  }
  await client.query(`drop schema ${schema}_old cascade`);
}
