import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { Secrets } from '../../platform/key-store/secrets.js';
import { generateSigningSecret } from './domain/signature.js';

/** Endpoints' signing secrets: encrypted in the key store, named by id in the log, shown to the partner once. */
@Injectable()
export class SigningSecrets {
  constructor(private readonly secrets: Secrets) {}

  /** Kept before the event that names it: an event must never name a secret that is not there. */
  async create(endpointId: number, secret_id: string = randomUUID()): Promise<{ secret_id: string; signing_secret: string }> {
    const signing_secret = generateSigningSecret();
    await this.secrets.add(nameOf(endpointId, secret_id), Buffer.from(signing_secret));
    return { secret_id, signing_secret };
  }

  /** In the order asked for. @throws Error where the key store does not hold one of them. */
  async read(endpointId: number, secretIds: readonly string[]): Promise<string[]> {
    const found = await this.secrets.getMany(secretIds.map((id) => nameOf(endpointId, id)));
    return secretIds.map((id) => {
      const secret = found.get(nameOf(endpointId, id));
      if (!secret)
        throw new Error(
          `The key store does not hold the signing secret of endpoint ${endpointId}; restore the key store, or have the partner rotate it.`,
        );
      return secret.toString('utf8');
    });
  }

  async removeAll(endpointId: number): Promise<void> {
    await this.secrets.removeByPrefix(`webhook/${endpointId}/`);
  }
}

/** Remembers, for a minute, what one sender asks for with each delivery. A secret of one id never changes. */
export class RememberedSecrets {
  private readonly remembered = new LRUCache<string, Promise<string[]>>({ max: 1_000, ttl: 60_000 });

  constructor(private readonly secrets: Pick<SigningSecrets, 'read'>) {}

  /** As {@link SigningSecrets.read}; what could not be read is asked for again. */
  read(endpointId: number, secretIds: readonly string[]): Promise<string[]> {
    const key = [endpointId, ...secretIds].join();
    const known = this.remembered.get(key);
    if (known) return known;
    const reading = this.secrets.read(endpointId, secretIds);
    this.remembered.set(key, reading);
    reading.catch(() => {
      if (this.remembered.peek(key) === reading) this.remembered.delete(key);
    });
    return reading;
  }
}

function nameOf(endpointId: number, secretId: string): string {
  return `webhook/${endpointId}/${secretId}`;
}
