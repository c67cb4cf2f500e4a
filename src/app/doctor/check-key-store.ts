import { type Pool } from 'pg';
import { DataKeys } from '../../platform/key-store/data-keys.js';
import { MasterKeys } from '../../platform/key-store/master-keys.js';
import { Secrets } from '../../platform/key-store/secrets.js';
import { attempt, failure, type Finding, ok } from './finding.js';

interface Wrapped {
  readonly master_key_id: string;
  readonly count: number;
  /** A farmer whose data key is encrypted with the master key, and the name of a secret that is, to try the master key on. */
  readonly rupa_id: string | null;
  readonly secret: string | null;
}

const WRAPPED = `select master_key_id, count(*)::int as count, min(rupa_id) as rupa_id, min(secret) as secret from (
    select master_key_id, rupa_id, null as secret from key_store.data_key where wrapped is not null
    union all select master_key_id, null, name from key_store.secret) as all_keys
  group by master_key_id order by master_key_id`;

/** Checks that MASTER_KEY holds every master key that the key store uses, and that each decrypts a data key and a secret. */
export async function checkKeyStore(pool: Pool, masterKey: string): Promise<readonly Finding[]> {
  const {
    rows: [there],
  } = await pool.query<{ there: boolean }>("select to_regclass('key_store.secret') is not null as there");
  if (!there?.there) return [ok('key store', 'not created yet')];
  const { rows } = await pool.query<Wrapped>(WRAPPED);
  if (rows.length === 0) return [ok('key store', 'empty')];
  const given = masterKey.split(',').map((entry) => entry.trim().split(':')[0] ?? '');
  const findings = await Promise.all(rows.map((wrapped) => checkKey(pool, masterKey, given, wrapped)));
  return findings.flat();
}

async function checkKey(
  pool: Pool,
  masterKey: string,
  given: readonly string[],
  { master_key_id, count, rupa_id, secret }: Wrapped,
): Promise<readonly Finding[]> {
  const check = `master key ${master_key_id}`;
  if (!given.includes(master_key_id)) {
    return [
      failure(
        check,
        `is not in MASTER_KEY, but ${count} keys and secrets are encrypted with it`,
        `Add it after the current key: MASTER_KEY=…,${master_key_id}:<base64>. Without it they cannot be decrypted.`,
      ),
    ];
  }
  return await attempt(
    check,
    `The key ${master_key_id} in MASTER_KEY is not the one that the key store was encrypted with. Put that key back, or restore the key store that belongs to this one.`,
    async () => {
      const keys = MasterKeys.parse(masterKey);
      if (rupa_id !== null) await new DataKeys(pool, keys).load([rupa_id]);
      if (secret !== null) await new Secrets(pool, keys).get(secret);
      return ok(check, `decrypts what is encrypted with it: ${count} keys and secrets`);
    },
  );
}
