import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Secrets } from '../../../platform/key-store/secrets.js';
import { generateSigningSecret } from '../domain/signature.js';

const PREFIX = 'webhook/';

export interface IssuedSecret {
  readonly signing_secret: string;
  /** False if the secret is recorded but the read models do not show it yet, so that it is not used yet. */
  readonly isShown: boolean;
}

/** Ids of the secrets that sign a delivery. */
export interface SecretIds {
  readonly current: string;
  /** Those that the current one replaced, the newest first. */
  readonly replaced: readonly string[];
}

/** Signing secrets of endpoints. They are stored encrypted in the key store, events hold only their ids, and partners see them once. */
@Injectable()
export class SigningSecrets {
  constructor(private readonly secrets: Secrets) {}

  /**
   * Creates and stores a secret, unless there is one with that id. Call it before appending the event with the secret's id, so that no event
   * names a missing secret.
   */
  async create(endpointId: number, secretId: string): Promise<string> {
    await this.secrets.add(nameOf(endpointId, secretId), Buffer.from(generateSigningSecret()));
    const [signing_secret = ''] = await this.read(endpointId, { current: secretId, replaced: [] });
    return signing_secret;
  }

  /** Returns the endpoint for which a secret with that id was created, which an interrupted registration has left. */
  async endpointOf(secretId: string): Promise<number | undefined> {
    const name = await this.secrets.nameOf(PREFIX, `/${secretId}`);
    return name === undefined ? undefined : Number(name.slice(PREFIX.length).split('/')[0]);
  }

  /**
   * Returns the current secret, and after it those of the replaced ones that the key store has. A restored key store may lack a replaced
   * secret, and nothing can bring it back: the rotation that replaced it is what mends such an endpoint.
   * @throws Error if the key store does not hold the current secret
   */
  async read(endpointId: number, { current, replaced }: SecretIds): Promise<string[]> {
    const found = await this.secrets.getMany([current, ...replaced].map((id) => nameOf(endpointId, id)));
    if (!found.has(nameOf(endpointId, current)))
      throw new Error(
        `The key store does not hold the signing secret ${current} of endpoint ${endpointId}. Restore the key store, or ask the partner to rotate the secret.`,
      );
    return [current, ...replaced].flatMap((id) => found.get(nameOf(endpointId, id))?.toString('utf8') ?? []);
  }

  async remove(endpointId: number, secretIds: readonly string[]): Promise<void> {
    await this.secrets.remove(secretIds.map((id) => nameOf(endpointId, id)));
  }

  async removeAll(endpointId: number): Promise<void> {
    await this.secrets.removeByPrefix(`${PREFIX}${endpointId}/`);
  }
}

/** Caches secrets for a minute, because a sender needs them for each delivery. The secret of an id never changes. */
export class CachedSecrets {
  private readonly cache = new LRUCache<string, Promise<string[]>>({ max: 1_000, ttl: 60_000 });

  constructor(private readonly secrets: Pick<SigningSecrets, 'read'>) {}

  /** Reads like {@link SigningSecrets.read}; a failed read is not cached. */
  read(endpointId: number, ids: SecretIds): Promise<string[]> {
    const key = [endpointId, ids.current, ...ids.replaced].join();
    const known = this.cache.get(key);
    if (known) return known;
    const reading = this.secrets.read(endpointId, ids);
    this.cache.set(key, reading);
    reading.catch(() => {
      if (this.cache.peek(key) === reading) this.cache.delete(key);
    });
    return reading;
  }
}

function nameOf(endpointId: number, secretId: string): string {
  return `${PREFIX}${endpointId}/${secretId}`;
}
