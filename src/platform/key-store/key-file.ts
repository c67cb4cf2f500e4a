import { readFileSync, statSync } from 'node:fs';
import { MasterKeys } from './master-keys.js';

/** Returns the master keys from the setting, or from the file in which the service generated them. */
export function masterKeysOf({
  masterKey,
  masterKeyFile,
}: {
  readonly masterKey: string;
  readonly masterKeyFile?: string | undefined;
}): MasterKeys {
  if (masterKeyFile === undefined) return MasterKeys.parse(masterKey);
  const readIfChanged = keyFileReader(masterKeyFile);
  return MasterKeys.parse(readIfChanged() ?? masterKey, readIfChanged);
}

/**
 * Returns a function that reads the file of generated master keys if it has changed since the previous call, and returns undefined
 * otherwise. The file is in the data folder, and `rupa keys rotate --new` may change it while the service runs.
 */
function keyFileReader(path: string): () => string | undefined {
  let known = '';
  return () => {
    const file = statSync(path, { bigint: true, throwIfNoEntry: false });
    const found = `${file?.ino ?? ''} ${file?.mtimeNs ?? ''}`;
    if (!file || found === known) return undefined;
    known = found;
    return masterKeyIn(path);
  };
}

/** @throws Error that names the file and does not quote it */
function masterKeyIn(path: string): string {
  const text = readFileSync(path, 'utf8');
  try {
    const { masterKey } = JSON.parse(text) as { masterKey?: unknown };
    if (typeof masterKey === 'string') return masterKey;
  } catch {
    // The message of JSON.parse would quote the secrets.
  }
  throw new Error(`${path} is wrong: it is not a JSON object with a masterKey. Put back the file from a backup of the data folder.`);
}
