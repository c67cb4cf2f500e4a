import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { Secrets } from '../../platform/key-store/secrets.js';

const NAME = 'reference-hash';
const KEY_BYTES = 32;

/**
 * Hashes a partner's reference for the name of its contribution stream. A reference may be personal (a name, a phone number), and stream
 * names cannot be encrypted. The key must never change: with another key, each known reference would start a new contribution.
 */
@Injectable()
export class ReferenceHash implements OnApplicationBootstrap {
  /** Held as a KeyObject, because converting the bytes on every call takes longer than the hashing. */
  private key: KeyObject | undefined;

  constructor(
    private readonly secrets: Secrets,
    private readonly eventStore: EventStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const known = await this.secrets.get(NAME);
    // Every contribution takes its id from this stream, so an event in it means that there are contributions.
    if (!known && (await this.eventStore.lastEvent('ids-main'))) {
      throw new Error(
        'The event log has contributions, but the key store has no key for hashing their references. Restore the key store, then start the service again.',
      );
    }
    if (!known) await this.secrets.add(NAME, randomBytes(KEY_BYTES));
    const key = known ?? (await this.secrets.get(NAME));
    this.key = key && createSecretKey(key);
  }

  /** Returns the HMAC-SHA256 of the partner and the reference, in hex. */
  of(partnerId: string, reference: string): string {
    if (!this.key) throw new Error('References cannot be hashed before the service has started.');
    return createHmac('sha256', this.key).update(`${partnerId}\n${reference}`).digest('hex');
  }
}
