import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import { EventStore } from '../event-sourcing/event-store.js';
import { Secrets } from '../key-store/secrets.js';

const NAME = 'reference-hash';
const KEY_BYTES = 32;

/**
 * Names contribution streams: a partner's reference may be personal (a name, a phone number), and stream names cannot be sealed.
 * Its key never changes, or every reference would be new.
 */
@Injectable()
export class ReferenceHash implements OnApplicationBootstrap {
  private key: Buffer | undefined;

  constructor(
    private readonly secrets: Secrets,
    private readonly eventStore: EventStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.key = await this.secrets.get(NAME);
    if (this.key) return;
    // The first contribution took its id from there.
    if (await this.eventStore.lastEvent('ids-main')) {
      throw new Error('The key store does not hold the key of contributions’ references, and the log has contributions: restore the key store before going on.');
    }
    await this.secrets.add(NAME, randomBytes(KEY_BYTES));
    this.key = await this.secrets.get(NAME);
  }

  /** Hex HMAC-SHA256. */
  of(partnerId: string, reference: string): string {
    if (!this.key) throw new Error('The service has not started.');
    return createHmac('sha256', this.key).update(`${partnerId}\n${reference}`).digest('hex');
  }
}
