import { type Pool } from 'pg';
import { dataKeyBinding } from './data-keys.js';
import { type MasterKeys } from './master-keys.js';
import { secretBinding, type SecretRow } from './secrets.js';

/** A master key that the key store uses, and whether the service has it. */
export interface UsedMasterKey {
  readonly id: string;
  /** Data keys and secrets that are encrypted with it. */
  readonly count: number;
  /** `missing`: the service has no key of that id. `different`: it has another key of that id, which decrypts none of the samples. */
  readonly state: 'usable' | 'missing' | 'different';
  /** Names of the sampled data keys and secrets that could not be decrypted. One of many may be damaged although the key is right. */
  readonly unreadable: readonly string[];
}

interface Sample {
  readonly id: string;
  readonly count: number;
  readonly farmers: readonly string[];
  readonly secrets: readonly string[];
}

interface Wrapped extends Omit<SecretRow, 'created_at'> {
  readonly kind: 'data_key' | 'secret';
}

/** The first and the last of each kind are the samples, so that a single damaged row does not make the master key look wrong. */
const SAMPLES = `select master_key_id as id, count(*)::int as count,
    array_remove(array[min(rupa_id), max(rupa_id)], null) as farmers, array_remove(array[min(secret), max(secret)], null) as secrets from (
    select master_key_id, rupa_id, null as secret from key_store.data_key where wrapped is not null
    union all select master_key_id, null, name from key_store.secret) as all_keys
  group by master_key_id order by master_key_id`;

const WRAPPED = `select 'data_key' as kind, rupa_id as name, master_key_id, wrapped from key_store.data_key
    where rupa_id = any($1) and master_key_id = $3 and wrapped is not null
  union all select 'secret', name, master_key_id, wrapped from key_store.secret where name = any($2) and master_key_id = $3`;

/** Tries every master key that the key store uses on a few of its data keys and secrets. */
export async function masterKeysInUse(pool: Pool, masterKeys: MasterKeys): Promise<readonly UsedMasterKey[]> {
  const { rows } = await pool.query<Sample>(SAMPLES);
  return await Promise.all(rows.map((sample) => tryKey(pool, masterKeys, sample)));
}

async function tryKey(pool: Pool, masterKeys: MasterKeys, { id, count, farmers, secrets }: Sample): Promise<UsedMasterKey> {
  if (!masterKeys.has(id)) return { id, count, state: 'missing', unreadable: [] };
  const { rows } = await pool.query<Wrapped>(WRAPPED, [farmers, secrets, id]);
  const unreadable = rows.filter((row) => !decrypts(masterKeys, row)).map(({ kind, name }) => `${kind} ${name}`);
  return { id, count, state: rows.length > 0 && unreadable.length === rows.length ? 'different' : 'usable', unreadable };
}

function decrypts(masterKeys: MasterKeys, { kind, name, master_key_id, wrapped }: Wrapped): boolean {
  try {
    masterKeys.unwrap(master_key_id, wrapped, kind === 'data_key' ? dataKeyBinding(name) : secretBinding(name));
    return true;
  } catch {
    return false;
  }
}

/**
 * Refuses master keys that are not those of the key store: the service could read nothing, and what it wrote would be lost for the right key.
 * @param source where the keys come from: MASTER_KEY, or the file of generated keys
 * @throws Error that names the source and the ids of the keys
 */
export async function refuseWrongMasterKeys(pool: Pool, masterKeys: MasterKeys, source: string): Promise<void> {
  const sentences = (await masterKeysInUse(pool, masterKeys)).flatMap(({ id, count, state }) => {
    switch (state) {
      case 'usable':
        return [];
      case 'missing':
        return [
          `${source} lacks the master key "${id}", which encrypted ${count} keys and secrets of the database. Add that key after the current one.`,
        ];
      case 'different':
        return [
          `${source} holds another master key "${id}" than the one that encrypted ${count} keys and secrets of the database. Put that key back, or set DATABASE_URL to the database that belongs to this key.`,
        ];
    }
  });
  if (sentences.length > 0) throw new Error(sentences.join(' '));
}
