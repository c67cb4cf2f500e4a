import { type Pool } from 'pg';
import { masterKeysInUse, type UsedMasterKey } from '../../../platform/key-store/check-master-keys.js';
import { MasterKeys } from '../../../platform/key-store/master-keys.js';
import { failure, type Finding, ok } from '../finding.js';

/** Checks that MASTER_KEY holds every master key that the key store uses, and that each decrypts data keys and secrets. */
export async function checkKeyStore(pool: Pool, masterKey: string): Promise<readonly Finding[]> {
  const {
    rows: [there],
  } = await pool.query<{ there: boolean }>("select to_regclass('key_store.secret') is not null as there");
  if (!there?.there) return [ok('key store', 'not created yet')];
  const used = await masterKeysInUse(pool, MasterKeys.parse(masterKey));
  return used.length === 0 ? [ok('key store', 'empty')] : used.map(findingOf);
}

function findingOf({ id, count, state, unreadable }: UsedMasterKey): Finding {
  const check = `master key ${id}`;
  switch (state) {
    case 'missing':
      return failure(
        check,
        `is not in MASTER_KEY, but ${count} keys and secrets are encrypted with it`,
        `Add it after the current key: MASTER_KEY=…,${id}:<base64>. Without it they cannot be decrypted.`,
      );
    case 'different':
      return failure(
        check,
        `does not decrypt the ${count} keys and secrets that are encrypted with it`,
        `The key ${id} in MASTER_KEY is not the one that the key store was encrypted with. Put that key back, or restore the key store that belongs to this one.`,
      );
    case 'usable':
      return unreadable.length === 0
        ? ok(check, `decrypts what is encrypted with it: ${count} keys and secrets`)
        : failure(
            check,
            `does not decrypt ${unreadable.join(' and ')}`,
            'The key is right, because it decrypts others. Restore these rows of the schema key_store from a backup.',
          );
  }
}
