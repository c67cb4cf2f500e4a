import { type Pool } from 'pg';
import { dataKeyBinding } from './data-keys.js';
import { countKeys, type KeyCount, missingKeys } from './key-counts.js';
import { type MasterKeys } from './master-keys.js';
import { secretBinding } from './secrets.js';

export interface Rotation {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  /** Between two batches; what is done stays done. */
  readonly signal?: AbortSignal;
  readonly onStart?: (rows: number) => void;
  readonly onProgress?: (rows: number) => void;
  readonly batchSize?: number;
}

export interface Rotated {
  readonly data_keys: number;
  readonly secrets: number;
  /** What there is now, by key. */
  readonly left: readonly KeyCount[];
}

interface Wrapped {
  readonly name: string;
  readonly master_key_id: string;
  readonly wrapped: string;
}

const BATCH_SIZE = 500;
/** Whatever a service on an older setting adds behind the first pass is met by the next; one that never ends adding is told of. */
const PASSES = 3;
const DEADLOCKS = 5;
const DEADLOCK_DETECTED = '40P01';

const TABLES = [
  { table: 'data_key', name: 'rupa_id', binding: dataKeyBinding },
  { table: 'secret', name: 'name', binding: secretBinding },
] as const;

/**
 * Wraps every data key and secret that is not under the current master key anew, beside a running service: what is inside stays the
 * same, so that nobody has to forget a key. Run again after an interruption, it goes on with the rest.
 * @throws Error, before anything is changed, where something is under a key that is not in the setting.
 */
export async function rotateKeys({ pool, masterKeys, signal, onStart, onProgress, batchSize = BATCH_SIZE }: Rotation): Promise<Rotated> {
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
        const rewrapped = await again(() => rewrap(pool, kind, batch, masterKeys));
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

/** Only where a row is still what was read: a data key that was destroyed meanwhile must not come back. */
async function rewrap(
  pool: Pool,
  { table, name, binding }: (typeof TABLES)[number],
  batch: readonly Wrapped[],
  masterKeys: MasterKeys,
): Promise<number> {
  if (batch.length === 0) return 0;
  const renewed = batch.map((row) => ({
    name: row.name,
    was: row.wrapped,
    ...masterKeys.wrap(open(masterKeys, row, binding(row.name)), binding(row.name)),
  }));
  const { rowCount } = await pool.query(
    `update key_store.${table} k set master_key_id = n.master_key_id, wrapped = n.wrapped
     from json_to_recordset($1) as n(name text, was text, master_key_id text, wrapped text)
     where k.${name} = n.name and k.wrapped = n.was`,
    [JSON.stringify(renewed)],
  );
  return rowCount ?? 0;
}

/** Erasures take many rows at once, too, in an order of their own; of two that wait for each other PostgreSQL ends one, wholly. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let left = DEADLOCKS; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || (error as { code?: unknown }).code !== DEADLOCK_DETECTED) throw error;
    }
  }
}

function open(masterKeys: MasterKeys, { name, master_key_id, wrapped }: Wrapped, binding: string): Buffer {
  try {
    return masterKeys.unwrap(master_key_id, wrapped, binding);
  } catch (error) {
    throw new Error(
      `The key that MASTER_KEY holds as "${master_key_id}" does not open ${name}: it is another one than the row was wrapped with.`,
      { cause: error },
    );
  }
}
