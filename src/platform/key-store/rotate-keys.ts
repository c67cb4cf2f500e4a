import { type Pool } from 'pg';
import { dataKeyBinding } from './data-keys.js';
import { countKeys, type KeyCount, missingKeys } from './key-counts.js';
import { type MasterKeys } from './master-keys.js';
import { secretBinding } from './secrets.js';

export interface Rotation {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  /** Stops the rotation between two batches. Rows that were rewrapped stay so. */
  readonly signal?: AbortSignal;
  /** Called with the number of rows to rewrap. */
  readonly onStart?: (rows: number) => void;
  /** Called after each batch with the number of rows rewrapped in it. */
  readonly onProgress?: (rows: number) => void;
  readonly batchSize?: number;
}

export interface RotationResult {
  readonly data_keys: number;
  readonly secrets: number;
  /** Data keys and secrets by master key after the rotation. */
  readonly left: readonly KeyCount[];
}

interface Wrapped {
  readonly name: string;
  readonly master_key_id: string;
  readonly wrapped: string;
}

const BATCH_SIZE = 500;
/** A service with an older setting may add rows under an old key during a pass; the next pass finds them. `left` reports what remains. */
const PASSES = 3;
const DEADLOCK_RETRIES = 5;
const DEADLOCK_DETECTED = '40P01';

const TABLES = [
  { table: 'data_key', name: 'rupa_id', binding: dataKeyBinding },
  { table: 'secret', name: 'name', binding: secretBinding },
] as const;

/**
 * Rewraps every data key and secret that is not under the current master key, while services may run. The wrapped keys stay the same,
 * so that no cache becomes invalid. After an interruption, another run continues with the remaining rows.
 * @throws Error, before anything is changed, if a row is under a key that is not in the setting
 */
export async function rotateKeys({
  pool,
  masterKeys,
  signal,
  onStart,
  onProgress,
  batchSize = BATCH_SIZE,
}: Rotation): Promise<RotationResult> {
  let left = await countKeys(pool, masterKeys);
  const missing = missingKeys(left);
  if (missing !== undefined) throw new Error(`${missing} Nothing was changed.`);
  onStart?.(outdated(left));
  const done = { data_key: 0, secret: 0 };
  for (let pass = 1; pass <= PASSES && outdated(left) > 0; pass += 1) {
    for (const kind of TABLES) {
      for (let after: string | undefined = ''; after !== undefined;) {
        signal?.throwIfAborted();
        const batch: readonly Wrapped[] = await outdatedRows(pool, kind, masterKeys.currentId, after, batchSize);
        const rewrapped = await retryDeadlocks(() => rewrap(pool, kind, batch, masterKeys));
        done[kind.table] += rewrapped;
        onProgress?.(rewrapped);
        after = batch.length < batchSize ? undefined : batch.at(-1)?.name;
      }
    }
    left = await countKeys(pool, masterKeys);
  }
  return { data_keys: done.data_key, secrets: done.secret, left };
}

function outdated(counts: readonly KeyCount[]): number {
  return counts.filter(({ current }) => !current).reduce((sum, { data_keys, secrets }) => sum + data_keys + secrets, 0);
}

async function outdatedRows(
  pool: Pool,
  { table, name }: (typeof TABLES)[number],
  currentId: string,
  after: string,
  limit: number,
): Promise<readonly Wrapped[]> {
  const { rows } = await pool.query<Wrapped>(
    `select ${name} as name, master_key_id, wrapped from key_store.${table}
     where ${name} > $1 and master_key_id <> $2 and wrapped is not null order by ${name} limit $3`,
    [after, currentId, limit],
  );
  return rows;
}

/** Updates only rows that have not changed since they were read, so that a data key destroyed meanwhile is not restored. */
async function rewrap(
  pool: Pool,
  { table, name, binding }: (typeof TABLES)[number],
  batch: readonly Wrapped[],
  masterKeys: MasterKeys,
): Promise<number> {
  if (batch.length === 0) return 0;
  const rewrapped = batch.map((row) => ({
    name: row.name,
    was: row.wrapped,
    ...masterKeys.wrap(unwrap(masterKeys, row, binding(row.name)), binding(row.name)),
  }));
  const { rowCount } = await pool.query(
    `update key_store.${table} k set master_key_id = n.master_key_id, wrapped = n.wrapped
     from json_to_recordset($1) as n(name text, was text, master_key_id text, wrapped text)
     where k.${name} = n.name and k.wrapped = n.was`,
    [JSON.stringify(rewrapped)],
  );
  return rowCount ?? 0;
}

/** Repeats the statement after a deadlock, which can occur because erasures lock many rows, too, in another order. */
async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let left = DEADLOCK_RETRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || (error as { code?: unknown }).code !== DEADLOCK_DETECTED) throw error;
    }
  }
}

function unwrap(masterKeys: MasterKeys, { name, master_key_id, wrapped }: Wrapped, binding: string): Buffer {
  try {
    return masterKeys.unwrap(master_key_id, wrapped, binding);
  } catch (error) {
    throw new Error(
      `The master key "${master_key_id}" in MASTER_KEY cannot unwrap ${name}, which was wrapped with another key of that id. Put that key into MASTER_KEY.`,
      { cause: error },
    );
  }
}
