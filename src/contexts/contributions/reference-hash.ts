import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { Secrets } from '../../platform/key-store/secrets.js';

const NAME = 'reference-hash';
const KEY_BYTES = 32;

/**
 * Names contribution streams: a partner's reference may be personal (a name, a phone number), and stream names cannot be encrypted.
 * Its key never changes, or every reference would be new.
 */
@Injectable()
export class ReferenceHash implements OnApplicationBootstrap {
  /** Made of bytes on every call it would cost more than the hashing. */
  private key: KeyObject | undefined;

  constructor(
    private readonly secrets: Secrets,
    private readonly eventStore: EventStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const known = await this.secrets.get(NAME);
    // The first contribution took its id from there.
    if (!known && (await this.eventStore.lastEvent('ids-main'))) {
      throw new Error(
        'The key store does not hold the key of contributions’ references, and the log has contributions: restore the key store before going on.',
      );
    }
    if (!known) await this.secrets.add(NAME, randomBytes(KEY_BYTES));
    const key = known ?? (await this.secrets.get(NAME));
    this.key = key && createSecretKey(key);
  }

  /** Hex HMAC-SHA256. */
  of(partnerId: string, reference: string): string {
    if (!this.key) throw new Error('The service has not started.');
    return createHmac('sha256', this.key).update(`${partnerId}\n${reference}`).digest('hex');
  }
}
