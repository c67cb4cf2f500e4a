import { createSecretKey, type KeyObject } from 'node:crypto';
import { seal, unseal } from './sealing.js';

const KEY_BYTES = 32;

/** Wraps data keys and secrets. The first key is the current one; the others only open what they once wrapped. */
export class MasterKeys {
  private constructor(
    readonly currentId: string,
    private readonly keys: ReadonlyMap<string, KeyObject>,
  ) {}

  /** @param setting `id:base64 of 32 bytes`, several separated by commas (MASTER_KEY). @throws Error that says what is wrong with it. */
  static parse(setting: string): MasterKeys {
    const entries = setting.split(',').map((entry): [string, KeyObject] => {
      const [, id, text] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]+=*)$/.exec(entry.trim()) ?? [];
      const key = Buffer.from(text ?? '', 'base64');
      if (!id || key.length !== KEY_BYTES) throw new Error('each key must be written as id:base64 of 32 bytes');
      return [id, createSecretKey(key)];
    });
    const [current] = entries;
    if (!current || new Set(entries.map(([id]) => id)).size !== entries.length) throw new Error('every key needs an id of its own');
    return new MasterKeys(current[0], new Map(entries));
  }

  wrap(secret: Buffer, binding: string): { master_key_id: string; wrapped: string } {
    return { master_key_id: this.currentId, wrapped: seal(this.key(this.currentId), secret, binding) };
  }

  unwrap(masterKeyId: string, wrapped: string, binding: string): Buffer {
    return unseal(this.key(masterKeyId), wrapped, binding);
  }

  private key(id: string): KeyObject {
    const key = this.keys.get(id);
    if (!key) throw new Error(`Master key "${id}" is not in MASTER_KEY; add it behind the current one.`);
    return key;
  }
}
