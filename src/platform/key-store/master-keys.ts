import { createSecretKey, type KeyObject } from 'node:crypto';
import { encrypt, decrypt } from './encryption.js';

const KEY_BYTES = 32;

interface Ring {
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** Wraps data keys and secrets. The first key is the current one; the others only open what they once wrapped. */
export class MasterKeys {
  private constructor(
    private ring: Ring,
    private readonly renewed: () => string | undefined,
  ) {}

  /**
   * @param setting `id:base64 of 32 bytes`, several separated by commas (MASTER_KEY).
   * @param renewed answers the setting where it has become another one since it was last asked; an environment never does.
   * @throws Error that says what is wrong with it.
   */
  static parse(setting: string, renewed: () => string | undefined = () => undefined): MasterKeys {
    return new MasterKeys(parseRing(setting), renewed);
  }

  get currentId(): string {
    return this.ring.currentId;
  }

  /** The current one first. */
  get ids(): readonly string[] {
    return [...this.ring.keys.keys()];
  }

  /** Asks before each use: a key that is no longer the current one must get nothing new. */
  wrap(secret: Buffer, binding: string): { master_key_id: string; wrapped: string } {
    this.renew();
    return { master_key_id: this.currentId, wrapped: encrypt(this.key(this.currentId), secret, binding) };
  }

  unwrap(masterKeyId: string, wrapped: string, binding: string): Buffer {
    if (!this.ring.keys.has(masterKeyId)) this.renew();
    return decrypt(this.key(masterKeyId), wrapped, binding);
  }

  private renew(): void {
    const setting = this.renewed();
    if (setting !== undefined) this.ring = parseRing(setting);
  }

  private key(id: string): KeyObject {
    const key = this.ring.keys.get(id);
    if (!key) throw new Error(`Master key "${id}" is not in MASTER_KEY; add it behind the current one.`);
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
  if (!current || new Set(entries.map(([id]) => id)).size !== entries.length) throw new Error('every key needs an id of its own');
  return { currentId: current[0], keys: new Map(entries) };
}
