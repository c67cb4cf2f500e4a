import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { CiphertextUnusable, encrypt, decrypt } from './encryption.js';
import { readFileSync, statSync } from 'node:fs';

const KEY_BYTES = 32;

/** The setting lacks a master key that something was encrypted with, as in a process that was started before a rotation. */
export class MasterKeyUnknown extends CiphertextUnusable {
  override name = 'MasterKeyUnknown';
}

interface Ring {
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
  /** Derived keys by purpose. */
  readonly derived: Map<string, readonly KeyObject[]>;
}

/** Wraps and unwraps data keys and secrets. The first key of the setting is the current one; the others are used for unwrapping only. */
export class MasterKeys {
  private constructor(
    private ring: Ring,
    private readonly readIfChanged: () => string | undefined,
  ) {}

  /**
   * @param setting the value of MASTER_KEY: `id:base64 of 32 bytes`, several separated by commas
   * @param readIfChanged returns the setting if it has changed since the previous call; an environment variable never changes
   * @throws Error that says what is wrong with the setting
   */
  static parse(setting: string, readIfChanged: () => string | undefined = () => undefined): MasterKeys {
    return new MasterKeys(parseRing(setting), readIfChanged);
  }

  get currentId(): string {
    return this.ring.currentId;
  }

  /** Ids of all keys, the current one first. */
  get ids(): readonly string[] {
    return [...this.ring.keys.keys()];
  }

  /** Wraps a secret with the current key. The setting is checked for a change first, so that a retired key wraps nothing new. */
  wrap(secret: Buffer, binding: string): { master_key_id: string; wrapped: string } {
    const id = this.current();
    return { master_key_id: id, wrapped: encrypt(this.key(id), secret, binding) };
  }

  /** @throws CiphertextUnusable */
  unwrap(masterKeyId: string, wrapped: string, binding: string): Buffer {
    this.has(masterKeyId);
    return decrypt(this.key(masterKeyId), wrapped, binding);
  }

  /** Returns whether the key is known. For an unknown one, the setting is checked for a change first. */
  has(id: string): boolean {
    if (!this.ring.keys.has(id)) this.reloadIfChanged();
    return this.ring.keys.has(id);
  }

  /** Returns a secret for another purpose from each key, the current one's first. It reveals nothing about the key. */
  derived(purpose: string): readonly KeyObject[] {
    const { keys, derived } = this.ring;
    const known =
      derived.get(purpose) ?? [...keys.values()].map((key) => createSecretKey(createHmac('sha256', key).update(purpose).digest()));
    derived.set(purpose, known);
    return known;
  }

  /** Returns the id of the current key, after the setting was checked for a change, so that a retired key is used for nothing new. */
  current(): string {
    this.reloadIfChanged();
    return this.currentId;
  }

  /** Returns what `make` derives from a key. @throws Error if the key is unknown */
  derive<T>(id: string, make: (key: KeyObject) => T): T {
    return make(this.key(id));
  }

  private reloadIfChanged(): void {
    const setting = this.readIfChanged();
    if (setting !== undefined) this.ring = parseRing(setting);
  }

  private key(id: string): KeyObject {
    const key = this.ring.keys.get(id);
    if (!key) throw new MasterKeyUnknown(`Master key "${id}" is not in MASTER_KEY. Add it after the current one.`);
    return key;
  }
}

function parseRing(setting: string): Ring {
  const entries = setting.split(',').map((entry): [string, KeyObject] => {
    const [, id, text] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]+=*)$/.exec(entry.trim()) ?? [];
    const key = Buffer.from(text ?? '', 'base64');
    if (!id || key.length !== KEY_BYTES) throw new Error('each key must be written as id:base64 of 32 bytes');
    return [id, createSecretKey(key)];
  });
  const [current] = entries;
  if (!current || new Set(entries.map(([id]) => id)).size !== entries.length) throw new Error('every key needs a unique id');
  return { currentId: current[0], keys: new Map(entries), derived: new Map() };
}

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
