import { type Pool } from 'pg';
import { type MasterKeys } from './master-keys.js';

/** A master key that is in the setting or in use, with the number of data keys and secrets that it wraps. */
export interface KeyCount {
  readonly id: string;
  readonly current: boolean;
  readonly in_setting: boolean;
  readonly data_keys: number;
  readonly secrets: number;
}

/** Counts by master key: the current one first, those missing in the setting last. Destroyed data keys do not count. */
export async function countKeys(pool: Pool, masterKeys: MasterKeys): Promise<KeyCount[]> {
  const { rows } = await pool.query<{ id: string; data_keys: number; secrets: number }>(
    `select id, sum(data_keys)::bigint as data_keys, sum(secrets)::bigint as secrets from (
       select master_key_id as id, count(*) as data_keys, 0 as secrets from key_store.data_key where wrapped is not null group by master_key_id
       union all
       select master_key_id, 0, count(*) from key_store.secret group by master_key_id
     ) counted group by id order by id`,
  );
  const known = masterKeys.ids;
  const ids = [...known, ...rows.map(({ id }) => id).filter((id) => !known.includes(id))];
  return ids.map((id) => {
    const { data_keys = 0, secrets = 0 } = rows.find((row) => row.id === id) ?? {};
    return { id, current: id === masterKeys.currentId, in_setting: known.includes(id), data_keys, secrets };
  });
}

/** Returns a message that names the data keys and secrets whose master key is not in the setting; undefined if there are none. */
export function missingKeys(counts: readonly KeyCount[]): string | undefined {
  const missing = counts.filter(({ in_setting }) => !in_setting);
  if (missing.length === 0) return undefined;
  return missing
    .map(
      ({ id, data_keys, secrets }) =>
        `${data_keys} data keys and ${secrets} secrets are wrapped by master key "${id}", which is not in MASTER_KEY. Add it after the current one.`,
    )
    .join(' ');
}
