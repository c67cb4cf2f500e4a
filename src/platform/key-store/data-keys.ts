import { createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Pool } from 'pg';
import { type MasterKeys } from './master-keys.js';
import { encrypt, decrypt } from './encryption.js';

const DATA_KEY_BYTES = 32;
const KEYS_HELD = 50_000;

/** Channel that names farmers whose data key was destroyed: whoever holds it in memory lets it go. */
export const KEY_DESTROYED_CHANNEL = 'rupa_key_destroyed';

/** A data key is neither there nor marked as destroyed: a restore without the key store, perhaps. Nothing may go on. */
export class DataKeyMissing extends Error {
  override name = 'DataKeyMissing';
}

/** The farmer was erased; nothing more can be written under this key. */
export class DataKeyDestroyed extends Error {
  override name = 'DataKeyDestroyed';
}

/** One farmer's data key, or the tombstone of one. */
export interface Opener {
  /** @throws DataKeyDestroyed */
  encrypt(text: string, binding: string): string;
  /** undefined once the key is destroyed. */
  open(encrypted: string, binding: string): string | undefined;
}

interface DataKeyRow {
  rupa_id: string;
  master_key_id: string;
  wrapped: string | null;
}

/** Farmers' data keys, wrapped by a master key, in the key store's own schema, which no rebuild touches. */
export class DataKeys {
  private readonly held = new LRUCache<string, Opener>({ max: KEYS_HELD });
  /** Rises with each key that is let go: what was being read meanwhile may be the old one, and is not kept. */
  private generation = 0;
  private nextCreation: { rupaIds: Set<string>; done: Promise<void> } | undefined;
  private lastCreation: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    private readonly masterKeys: MasterKeys,
  ) {}

  /** Makes the farmer's key unless there is one or its tombstone. Calls that come while a statement runs share the next one. */
  async create(rupaId: string): Promise<void> {
    if (this.held.has(rupaId)) return;
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

  /** @throws DataKeyMissing if one of them has neither key nor tombstone. */
  async open(rupaIds: readonly string[]): Promise<Map<string, Opener>> {
    const found = new Map<string, Opener>();
    const unknown = new Set<string>();
    for (const rupaId of rupaIds) {
      const opener = this.held.get(rupaId);
      if (opener) found.set(rupaId, opener);
      else unknown.add(rupaId);
    }
    if (unknown.size === 0) return found;
    const { generation } = this;
    const { rows } = await this.pool.query<DataKeyRow>({
      name: 'data-keys',
      text: 'select rupa_id, master_key_id, wrapped from key_store.data_key where rupa_id = any($1)',
      values: [[...unknown]],
    });
    for (const row of rows) {
      const opener = this.opener(row);
      if (generation === this.generation) this.held.set(row.rupa_id, opener);
      found.set(row.rupa_id, opener);
      unknown.delete(row.rupa_id);
    }
    const [missing] = unknown;
    if (missing !== undefined) {
      throw new DataKeyMissing(
        `The key store holds neither the data key of ${missing} nor its tombstone; restore the key store before going on.`,
      );
    }
    return found;
  }

  /**
   * Leaves tombstones where the farmers' keys were, also where a restore brought none: that they were erased is known from the log.
   * Every process is told to let them go. What was destroyed before stays as it is.
   */
  async destroy(rupaIds: readonly string[]): Promise<void> {
    await this.pool.query(DESTROY, [rupaIds, this.masterKeys.currentId, KEY_DESTROYED_CHANNEL]);
    for (const rupaId of rupaIds) this.forget(rupaId);
  }

  /** Lets a key go that is held in memory; all of them where it is not known which. */
  forget(rupaId?: string): void {
    this.generation += 1;
    if (rupaId === undefined) this.held.clear();
    else this.held.delete(rupaId);
  }

  private async insert(rupaIds: readonly string[]): Promise<void> {
    const rows = rupaIds.map((rupaId) => ({
      rupa_id: rupaId,
      ...this.masterKeys.wrap(randomBytes(DATA_KEY_BYTES), dataKeyBinding(rupaId)),
    }));
    await this.pool.query(
      `insert into key_store.data_key (rupa_id, master_key_id, wrapped)
       select rupa_id, master_key_id, wrapped from json_populate_recordset(null::key_store.data_key, $1)
       on conflict (rupa_id) do nothing`,
      [JSON.stringify(rows)],
    );
  }

  private opener({ rupa_id, master_key_id, wrapped }: DataKeyRow): Opener {
    if (wrapped === null) return destroyed(rupa_id);
    const key = createSecretKey(this.masterKeys.unwrap(master_key_id, wrapped, dataKeyBinding(rupa_id)));
    return {
      encrypt: (text, bound) => encrypt(key, text, bound),
      open: (encrypted, bound) => decrypt(key, encrypted, bound).toString('utf8'),
    };
  }
}

const DESTROY = `with destroyed as (
    insert into key_store.data_key as k (rupa_id, master_key_id, wrapped, destroyed_at) select rupa_id, $2, null, now() from unnest($1::text[]) as rupa_id
    on conflict (rupa_id) do update set wrapped = null, destroyed_at = excluded.destroyed_at where k.wrapped is not null
    returning rupa_id)
  select pg_notify($3, rupa_id) from destroyed`;

function destroyed(rupaId: string): Opener {
  return {
    encrypt: () => {
      throw new DataKeyDestroyed(`${rupaId} was erased.`);
    },
    open: () => undefined,
  };
}

/** What a wrapped data key is bound to. */
export function dataKeyBinding(rupaId: string): string {
  return `data-key\n${rupaId}`;
}
