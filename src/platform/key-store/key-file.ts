import { readFileSync, statSync } from 'node:fs';
import { MasterKeys } from './master-keys.js';

/** The master keys of a service: those of the setting, or of the file where they were generated. */
export function masterKeysOf({
  masterKey,
  masterKeyFile,
}: {
  readonly masterKey: string;
  readonly masterKeyFile?: string | undefined;
}): MasterKeys {
  if (masterKeyFile === undefined) return MasterKeys.parse(masterKey);
  const renewed = keysOfFile(masterKeyFile);
  return MasterKeys.parse(renewed() ?? masterKey, renewed);
}

/**
 * Master keys that the service made itself lie in a file of the data folder, where `rupa keys rotate --new` may put a new one
 * while the service runs. Answers them whenever the file is another one than when it was last asked, first of all at once.
 */
function keysOfFile(path: string): () => string | undefined {
  let known = '';
  return () => {
    const file = statSync(path, { bigint: true, throwIfNoEntry: false });
    const found = `${file?.ino ?? ''} ${file?.mtimeNs ?? ''}`;
    if (!file || found === known) return undefined;
    known = found;
    return (JSON.parse(readFileSync(path, 'utf8')) as { masterKey: string }).masterKey;
  };
}
