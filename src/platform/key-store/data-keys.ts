import { createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Pool } from 'pg';
import { indexableText } from '../database/postgres-text.js';
import { StatementQueue } from '../database/sharing/statement-queue.js';
import { type MasterKeys, MasterKeyUnknown } from './master-keys.js';
import { encrypt, decrypt } from './encryption.js';

const DATA_KEY_BYTES = 32;
const CACHED_KEYS = 50_000;
const MAX_KEYS_PER_STATEMENT = 2_000;
/** Keys of other farmers that are tried: a few of them may be damaged, too. */
const OTHER_KEYS = 20;

/** Notification channel that carries the ids of farmers whose data key was destroyed, so that every process drops it from memory. */
export const KEY_DESTROYED_CHANNEL = 'rupa_key_destroyed';

/** A data key neither exists nor is marked as destroyed, perhaps after a restore without the key store. Callers must stop. */
export class DataKeyMissing extends Error {
  override name = 'DataKeyMissing';
}

/** The farmer was erased, so nothing can be encrypted with this key any more. */
export class DataKeyDestroyed extends Error {
  override name = 'DataKeyDestroyed';
}

/** A farmer's data key, or its tombstone after the farmer was erased. */
export interface DataKey {
  /** @throws DataKeyDestroyed */
  encrypt(text: string, binding: string): string;
  /** Returns the plaintext, or undefined if the key was destroyed. */
  decrypt(encrypted: string, binding: string): string | undefined;
}

/** A row of key_store.data_key: a farmer's data key, or its tombstone. */
export interface DataKeyRow {
  readonly rupa_id: string;
  readonly master_key_id: string;
  /** The encrypted key; null in a tombstone. */
  readonly wrapped: string | null;
  readonly destroyed_at: string | null;
}

type WrappedKey = Omit<DataKeyRow, 'destroyed_at'>;

/**
 * Farmers' data keys, wrapped by a master key and stored in the schema key_store, which rebuilds do not touch. A Rupa ID that does not fit
 * into the index is stored in its indexable form.
 */
export class DataKeys {
  private readonly cached = new LRUCache<string, DataKey>({ max: CACHED_KEYS });
  /**
   * Incremented whenever a key is dropped from the cache: a load that began before then may have read a destroyed key, and is not cached.
   */
  private generation = 0;
  private nextCreation: { rupaIds: Set<string>; done: Promise<void> } | undefined;
  private lastCreation: Promise<void> = Promise.resolve();
  private listener: { readonly live: boolean } = { live: true };
  private readonly statements = new StatementQueue((rupaIds: readonly string[]) => this.read(rupaIds), { maxKeys: MAX_KEYS_PER_STATEMENT });

  constructor(
    private readonly pool: Pool,
    private readonly masterKeys: MasterKeys,
  ) {}

  /** Creates the farmer's key unless a key or a tombstone exists. Calls made while a statement runs share the next statement. */
  async create(farmer: string): Promise<void> {
    const rupaId = indexableText(farmer);
    if (this.cached.has(rupaId)) return;
    if (!this.nextCreation) {
      const rupaIds = new Set<string>();
      const done = this.lastCreation.then(async () => {
        this.nextCreation = undefined;
        await this.insert([...rupaIds]);
      });
      this.nextCreation = { rupaIds, done };
      this.lastCreation = done.catch(() => undefined);
    }
    this.nextCreation.rupaIds.add(rupaId);
    await this.nextCreation.done;
  }

  /** Returns those of the farmers that have neither a data key nor a tombstone: they were never registered. */
  async withoutKey(farmers: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<Pick<DataKeyRow, 'rupa_id'>>('select rupa_id from key_store.data_key where rupa_id = any($1)', [
      farmers.map(indexableText),
    ]);
    const known = new Set(rows.map(({ rupa_id }) => rupa_id));
    return new Set(farmers.filter((farmer) => !known.has(indexableText(farmer))));
  }

  /**
   * Returns the data keys by farmer.
   * @param onUnusable called with each farmer who is left out because the key store has lost or damaged that key alone
   * @throws DataKeyMissing if a farmer has neither key nor tombstone, CiphertextUnusable if a key cannot be unwrapped; with `onUnusable`, only
   *   if this process lacks a master key, or the key store does not hold the usable key of any other farmer, either
   */
  async load(farmers: readonly string[], onUnusable?: (farmer: string, error: Error) => void): Promise<Map<string, DataKey>> {
    const stored = await this.loadStored(farmers.map(indexableText));
    const unusable = [...stored].flatMap(([rupaId, key]): [string, Error][] => (key instanceof Error ? [[rupaId, key]] : []));
    const first = unusable.find(([, error]) => error instanceof MasterKeyUnknown) ?? unusable[0];
    if (first && !(onUnusable && (await this.isOnlyTheirs(unusable)))) throw first[1];
    const found = new Map<string, DataKey>();
    for (const farmer of farmers) {
      const key = stored.get(indexableText(farmer));
      if (key instanceof Error) onUnusable?.(farmer, key);
      else if (key) found.set(farmer, key);
    }
    return found;
  }

  /** Returns whether the key store lost or damaged these keys alone: this process has the master keys, and others can be used. */
  private async isOnlyTheirs(unusable: readonly (readonly [rupaId: string, Error])[]): Promise<boolean> {
    if (unusable.some(([, error]) => error instanceof MasterKeyUnknown)) return false;
    const { rows } = await this.pool.query<WrappedKey>({
      text: `select rupa_id, master_key_id, wrapped from key_store.data_key where wrapped is not null and rupa_id <> all($1) limit ${OTHER_KEYS}`,
      values: [unusable.map(([rupaId]) => rupaId)],
    });
    return rows.some((row) => !(this.storedKey(row) instanceof Error));
  }

  /** Returns what the key store has for each farmer: the key, or why there is none that can be used. */
  private async loadStored(rupaIds: readonly string[]): Promise<Map<string, DataKey | Error>> {
    const found = new Map<string, DataKey | Error>();
    const unknown = new Set<string>();
    for (const rupaId of rupaIds) {
      const dataKey = this.listener.live ? this.cached.get(rupaId) : undefined;
      if (dataKey) found.set(rupaId, dataKey);
      else unknown.add(rupaId);
    }
    if (unknown.size === 0) return found;
    const wanted = [...unknown];
    for (const [index, stored] of (await this.statements.loadMany(wanted)).entries()) {
      const rupaId = wanted[index] ?? '';
      found.set(rupaId, stored ?? missing(rupaId));
    }
    return found;
  }

  /**
   * Reads keys, those of concurrent calls in one statement. Returns undefined for a farmer that has neither key nor tombstone, and an error
   * for a key that cannot be unwrapped, so that only the calls that need it fail.
   */
  private async read(rupaIds: readonly string[]): Promise<(DataKey | Error | undefined)[]> {
    const { generation } = this;
    const { rows } = await this.pool.query<WrappedKey>({
      name: 'data-keys',
      text: 'select rupa_id, master_key_id, wrapped from key_store.data_key where rupa_id = any($1)',
      values: [rupaIds],
    });
    const stored = new Map(rows.map((row) => [row.rupa_id, this.storedKey(row)]));
    if (generation === this.generation) for (const [rupaId, key] of stored) if (!(key instanceof Error)) this.cached.set(rupaId, key);
    return rupaIds.map((rupaId) => stored.get(rupaId));
  }

  /**
   * Replaces the farmers' keys with tombstones, and creates tombstones for keys that a restore did not bring back: the log is the
   * evidence of the erasure. Notifies every process to drop the keys from memory. Existing tombstones do not change.
   */
  async destroy(farmers: readonly string[]): Promise<void> {
    const rupaIds = farmers.map(indexableText);
    await this.pool.query(DESTROY, [rupaIds, this.masterKeys.currentId, KEY_DESTROYED_CHANNEL]);
    for (const rupaId of rupaIds) this.forget(rupaId);
  }

  /** Makes every load read the key store while the listener is not live, because a notification of a destroyed key may be missing then. */
  useCacheWhileLive(listener: { readonly live: boolean }): void {
    this.listener = listener;
  }

  /** Drops a key from memory; without an id, all keys. */
  forget(rupaId?: string): void {
    this.generation += 1;
    if (rupaId === undefined) this.cached.clear();
    else this.cached.delete(rupaId);
  }

  private async insert(rupaIds: readonly string[]): Promise<void> {
    const rows = rupaIds.map((rupaId) => ({
      rupa_id: rupaId,
      ...this.masterKeys.wrap(randomBytes(DATA_KEY_BYTES), dataKeyBinding(rupaId)),
    }));
    const { generation } = this;
    const { rows: inserted } = await this.pool.query<WrappedKey>(
      `insert into key_store.data_key (rupa_id, master_key_id, wrapped)
       select rupa_id, master_key_id, wrapped from json_populate_recordset(null::key_store.data_key, $1)
       on conflict (rupa_id) do nothing returning rupa_id, master_key_id, wrapped`,
      [JSON.stringify(rows)],
    );
    if (generation === this.generation) for (const row of inserted) this.cached.set(row.rupa_id, this.dataKey(row));
  }

  private storedKey(row: WrappedKey): DataKey | Error {
    try {
      return this.dataKey(row);
    } catch (error) {
      return error as Error;
    }
  }

  private dataKey({ rupa_id, master_key_id, wrapped }: WrappedKey): DataKey {
    if (wrapped === null) return destroyed(rupa_id);
    const key = createSecretKey(this.masterKeys.unwrap(master_key_id, wrapped, dataKeyBinding(rupa_id)));
    return {
      encrypt: (text, bound) => encrypt(key, text, bound),
      decrypt: (encrypted, bound) => decrypt(key, encrypted, bound).toString('utf8'),
    };
  }
}

function missing(rupaId: string): DataKeyMissing {
  return new DataKeyMissing(
    `The key store holds neither the data key of ${rupaId} nor its tombstone. Restore the key store before you continue.`,
  );
}

const DESTROY = `with destroyed as (
    insert into key_store.data_key as k (rupa_id, master_key_id, wrapped, destroyed_at) select rupa_id, $2, null, now() from unnest($1::text[]) as rupa_id
    on conflict (rupa_id) do update set wrapped = null, destroyed_at = excluded.destroyed_at where k.wrapped is not null
    returning rupa_id)
  select pg_notify($3, rupa_id) from destroyed`;

function destroyed(rupaId: string): DataKey {
  return {
    encrypt: () => {
      throw new DataKeyDestroyed(`The farmer ${rupaId} was erased, and the data key destroyed.`);
    },
    decrypt: () => undefined,
  };
}

/** Returns the additional authenticated data of a wrapped data key. */
export function dataKeyBinding(rupaId: string): string {
  return `data-key\n${rupaId}`;
}
