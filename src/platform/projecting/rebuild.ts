import { setTimeout as delay } from 'node:timers/promises';
import { type PoolClient } from 'pg';
import { LOCKS } from '../database/locks.js';
import { inTransaction } from '../database/pool.js';
import { announceCaughtUp, type Checkpoint, DIRECTORY_CHANNEL, markFaulted, readCheckpoints, setCheckpoint } from './checkpoints.js';
import { most } from './positions.js';
import { type Projection } from './projection.js';
import { removeLeftovers, Shadow, type ShadowParts } from './shadow.js';

export interface Rebuilt {
  readonly events: number;
  readonly seconds: number;
  /** How often the swap was tried until nobody was in its way. */
  readonly swapAttempts: number;
}

/** Readers and the projector are kept waiting this long by one try to swap, at most. */
const SWAP_LOCK_MS = 150;
const VACUUM_LOCK_MS = 5_000;
const SWAP_ATTEMPTS = 200;
/** More than so many events are not applied while the projector waits. */
const FENCED_POSITIONS_MAX = 20_000n;

/** A projection that cannot take an event: what is live stays as it is, or, where nothing is live yet, what was built serves as it is. */
export type OnFault = 'refuse' | 'serve';

/**
 * Builds read models anew from the log, beside the live ones, and puts them in their place. Nobody stops: the projector goes on with the
 * old tables until, between two of its batches, the new ones show the same event and change places with them in one transaction.
 * A rebuild that ends early is begun anew: what it has built is not trusted, and is cleared by the next one or the next start.
 */
export async function rebuild(
  parts: ShadowParts,
  projections: readonly Projection[],
  liveSchema: string,
  onFault: OnFault = 'refuse',
): Promise<Rebuilt> {
  const startedAt = performance.now();
  const shadow = await Shadow.create(parts, projections, 'rebuild');
  try {
    await catchUp(parts, shadow, onFault);
    await shadow.flush();
    await shadow.analyze();
    for (let attempt = 1; ; attempt += 1) {
      await catchUp(parts, shadow, onFault);
      if (await trySwap(parts, shadow, liveSchema, onFault))
        return { events: shadow.events, seconds: (performance.now() - startedAt) / 1_000, swapAttempts: attempt };
      if (attempt === SWAP_ATTEMPTS)
        throw new Error(
          'The new tables could not change places with the live ones: long transactions hold these. End them, and run the rebuild again.',
        );
      await delay(20 + Math.random() * 80);
    }
  } finally {
    await shadow.drop();
  }
}

/** One after another, because they would only be in one another's way, and each clearing what killed ones left; `onWaiting` is told where another one is at work. */
export async function withRebuildLock<T>(parts: ShadowParts, work: () => Promise<T>, onWaiting?: () => void): Promise<T> {
  const client = await parts.pool.connect();
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [LOCKS.rebuild]);
    if (!rows[0]?.held) {
      onWaiting?.();
      await client.query('select pg_advisory_lock($1)', [LOCKS.rebuild]);
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

async function catchUp({ pool, eventStore }: ShadowParts, shadow: Shadow, onFault: OnFault): Promise<void> {
  const known = await readCheckpoints(pool);
  await replay(shadow, targetOf(shadow, known, (await eventStore.headPosition()) ?? -1n), onFault);
}

/** @throws Error for a fault that is not to be served */
async function replay(shadow: Shadow, target: bigint, onFault: OnFault): Promise<void> {
  await shadow.replay(target);
  const [faulted] = shadow.faults;
  if (faulted && onFault === 'refuse') throw new Error(`${faulted[0]} cannot be built, and stays as it is: ${faulted[1].reason}`);
}

/** Where the live tables are; where none of them follows the log, its end. */
function targetOf(shadow: Shadow, known: ReadonlyMap<string, Checkpoint>, head: bigint): bigint {
  const live = shadow.tables.flatMap(({ projection: { name } }) => {
    const checkpoint = known.get(name);
    return checkpoint?.fault === null && checkpoint.position !== null ? [BigInt(checkpoint.position)] : [];
  });
  return live.length === 0 ? head : most(live);
}

/** False where somebody was in the way: nothing was changed. */
async function trySwap({ pool, eventStore }: ShadowParts, shadow: Shadow, liveSchema: string, onFault: OnFault): Promise<boolean> {
  try {
    return await inTransaction(pool, async (client) => {
      const names = shadow.tables.map(({ projection }) => projection.name);
      await keepVacuumAway(client, liveSchema, names);
      await client.query(`set local lock_timeout = ${SWAP_LOCK_MS}`);
      // The fence: from here to the commit no projector writes these tables.
      const known = await readCheckpoints(client, names);
      const target = targetOf(shadow, known, (await eventStore.headPosition()) ?? -1n);
      if (target - shadow.position > FENCED_POSITIONS_MAX) return false;
      await replay(shadow, target, onFault);
      await shadow.flush();
      await swap(client, shadow, liveSchema);
      for (const { projection } of shadow.tables) await place(client, shadow, projection);
      await client.query('select pg_notify($1, $2)', [DIRECTORY_CHANNEL, '']);
      await announceCaughtUp(client);
      return true;
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === '55P03') return false;
    throw error;
  }
}

/**
 * PostgreSQL ends an automatic vacuum for whoever has waited a second for its table. Waiting with this lock bars neither readers nor
 * the projector; waiting with the one that the swap needs would bar all that come after it.
 */
async function keepVacuumAway(client: PoolClient, schema: string, names: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ tablename: string }>(
    'select tablename from pg_tables where schemaname = $1 and tablename = any($2) order by tablename',
    [schema, names],
  );
  if (rows.length === 0) return;
  await client.query(`set local lock_timeout = ${VACUUM_LOCK_MS}`);
  await client.query(`lock table ${rows.map(({ tablename }) => `${schema}.${tablename}`).join(', ')} in share update exclusive mode`);
}

async function place(client: PoolClient, shadow: Shadow, { name, version }: Projection): Promise<void> {
  const fault = shadow.faults.get(name);
  await setCheckpoint(client, name, version, fault?.position ?? shadow.position);
  if (fault) await markFaulted(client, name, fault.eventPosition, fault.reason);
}

async function swap(client: PoolClient, { schema, tables }: Shadow, liveSchema: string): Promise<void> {
  await client.query(`create schema ${schema}_old`);
  // A backup leaves the read models out, and with them their schema.
  await client.query(`create schema if not exists ${liveSchema}`);
  for (const { projection } of tables) {
    await client.query(`alter table if exists ${liveSchema}.${projection.name} set schema ${schema}_old`);
    await client.query(`alter table ${schema}.${projection.name} set schema ${liveSchema}`);
  }
  await client.query(`drop schema ${schema}_old cascade`);
}
