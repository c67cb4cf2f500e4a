import { Injectable } from '@nestjs/common';
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../../platform/key-store/encryption.js';
import { Secrets } from '../../platform/key-store/secrets.js';

const NAME = 'stored-responses';
const KEY_BYTES = 32;

/** Encrypts stored responses that are about no farmer: they may contain the signing secret of an endpoint. */
@Injectable()
export class ResponseKey {
  private key: Promise<KeyObject> | undefined;

  constructor(private readonly secrets: Secrets) {}

  async encrypt(text: string, binding: string): Promise<string> {
    return encrypt(await this.load(), text, binding);
  }

  async decrypt(encrypted: string, binding: string): Promise<string> {
    return decrypt(await this.load(), encrypted, binding).toString('utf8');
  }

  private async load(): Promise<KeyObject> {
    this.key ??= this.create();
    try {
      return await this.key;
    } catch (error) {
      this.key = undefined;
      throw error;
    }
  }

  /** Instances that create the key at the same time all get the one that was stored first. */
  private async create(): Promise<KeyObject> {
    await this.secrets.add(NAME, randomBytes(KEY_BYTES));
    const key = await this.secrets.get(NAME);
    if (!key) throw new Error(`The key store does not hold the secret ${NAME}, which was just added.`);
    return createSecretKey(key);
  }
}
