import { Inject, Injectable } from '@nestjs/common';
import { randomUUID, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Pool } from 'pg';
import { ApiError } from '../../http/errors/api-error.js';
import { areOfOneKey, keyedId, listId } from '../../kernel/keyed-id.js';
import { POOL } from '../../platform/injection-tokens.js';
import { DataKeys } from '../../platform/key-store/data-keys.js';
import { CiphertextUnusable, decrypt, encrypt } from '../../platform/key-store/encryption.js';
import { RowMacs } from '../../platform/projecting/row-macs.js';
import {
  beginRow,
  type BegunRow,
  deleteWithoutResponse,
  endLease,
  isStored,
  keyHashOf,
  type NewRow,
  replaceLookup,
  storeResponse,
} from '../../platform/stored-responses/stored-response-table.js';
import { FarmerRejection } from '../farmers/public.js';
import { LEASE_SECONDS } from '../wallet/public.js';
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

/** How long a stored response is kept (decisions, "Retrying a lookup"). */
export const RETENTION_HOURS = 24;

/** A request with an Idempotency-Key. */
interface KeyedRequest {
  readonly partner_id: string;
  /** The Idempotency-Key as the partner sent it; only its hash is stored. */
  readonly key: string;
  /** The farmer whose data key encrypts the response; empty for a response about no farmer. */
  readonly rupa_id: string;
  /** Whether the response has pieces, each about a farmer (stored-lists.ts). */
  readonly isList?: boolean;
  /** SHA-256 of the request, in hex: of a lookup's validated body, of any other request's method, path and body. */
  readonly request_hash: string;
}

/** The right to execute the request of a key, until `leased_until` of its row. */
export interface Lease {
  readonly partner_id: string;
  readonly key_hash: string;
  readonly holder: string;
  readonly rupa_id: string;
  readonly request_hash: string;
  /** Id of the lookup or, for another call, of the operation. Ids of one key have a common beginning (docs/adr/0044). */
  readonly lookup_id: string;
  /** Ids that the key has had under the other master keys: a charge of one of them is a charge of the key. */
  readonly former_ids: readonly string[];
  /** The lookup of an earlier holder whose lease expired. If it was charged, that charge must be refunded before this lookup begins. */
  readonly abandoned: string | undefined;
}

/** A stored response. */
export interface Stored extends Pick<Lease, 'partner_id' | 'key_hash' | 'lookup_id'> {
  readonly kind: 'stored';
  readonly payload: string;
}

export type BeginResult = { readonly kind: 'first'; readonly lease: Lease } | Stored;

/** Thrown if another request has taken over the lease. The charge of the request that lost it must be refunded. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Responses by Idempotency-Key, encrypted with the farmer's data key (docs/adr/0006), or with a key of the service. */
@Injectable()
export class StoredResponses {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly keys: DataKeys,
    private readonly ownKey: ResponseKey,
    private readonly macs: RowMacs,
  ) {}

  /**
   * Returns the stored response of the key, or a lease to execute the lookup.
   * @throws ApiError `idempotency_key_reused` if the key was used with another body
   * @throws ApiError `idempotency_in_progress` while another request with the key is running
   * @throws CiphertextUnusable if somebody edited the row
   */
  async begin({ partner_id, key, rupa_id, request_hash, isList = false }: KeyedRequest): Promise<BeginResult> {
    const key_hash = keyHashOf(key);
    const holder = randomUUID();
    const [random, named] = [randomUUID(), `idempotency_key\n${partner_id}\n${key_hash}`];
    const id = keyedId(this.macs.digestOf(named), random);
    const lookup_id = isList ? listId(id) : id;
    const former_ids = this.macs.formerDigestsOf(named).map((digest) => keyedId(digest, random));
    const row = await this.begun({ partner_id, key_hash, request_hash, lookup_id, rupa_id, holder });
    if (row.request_hash !== request_hash)
      throw new ApiError('idempotency_key_reused', {
        data: { errors: { 'Idempotency-Key': ['The Idempotency-Key header was already used with another path or body.'] } },
      });
    if (row.response !== null) {
      const payload = await this.genuine(row, partner_id, key_hash);
      return { kind: 'stored', partner_id, key_hash, lookup_id: row.lookup_id, payload };
    }
    if (row.holder !== holder) throw new ApiError('idempotency_in_progress');
    const abandoned = row.lookup_id === lookup_id ? undefined : row.lookup_id;
    return { kind: 'first', lease: { partner_id, key_hash, holder, rupa_id, request_hash, lookup_id, former_ids, abandoned } };
  }

  /**
   * Replaces the abandoned lookup's id by this lookup's. Call it after the abandoned charge was refunded: from then on a later holder
   * refunds this lookup.
   * @throws LeaseLost
   */
  async takeOver(lease: Lease): Promise<void> {
    requireLease(await replaceLookup(this.pool, lease, lease.lookup_id));
  }

  /**
   * Returns the lease under the id with which an earlier holder began the operation. An id of another key was planted: it would make this
   * request change what that key's request recorded, or record nothing, so that the request runs with an id of its own instead.
   * @throws ApiError `idempotency_in_progress` if another request has taken over the lease
   */
  async resume(lease: Lease): Promise<Lease> {
    const { abandoned, lookup_id, former_ids, partner_id, key_hash } = lease;
    if (abandoned === undefined) return lease;
    if ([lookup_id, ...former_ids].some((id) => areOfOneKey(abandoned, id))) return { ...lease, lookup_id: abandoned };
    this.macs.noteRow('stored_response', [partner_id, key_hash]);
    if (!(await replaceLookup(this.pool, lease, lookup_id))) throw new ApiError('idempotency_in_progress');
    return lease;
  }

  /**
   * Stores the response. Call it before the response is sent: once it is stored, the charge is settled even if this process dies.
   * @throws LeaseLost
   */
  async store(lease: Lease, payload: string): Promise<void> {
    const response = await this.encrypt(lease.rupa_id, payload, requestBinding(lease));
    requireLease(await storeResponse(this.pool, lease, response, LEASE_SECONDS));
  }

  /**
   * Deletes the row of a lookup that was not charged or has no response, so that the key can be used again at once. If the response was
   * stored although the database did not confirm it, the row stays, because another request may already have received that response.
   * Returns which of the two was the case.
   */
  async withdraw(lease: Lease): Promise<'withdrawn' | 'stored'> {
    if (await deleteWithoutResponse(this.pool, lease)) return 'withdrawn';
    return (await isStored(this.pool, lease)) ? 'stored' : 'withdrawn';
  }

  /** Ends the lease of an operation that failed with an unknown outcome: the next request with the key takes it over, with its id. */
  async abandon(lease: Lease): Promise<void> {
    await endLease(this.pool, lease, lease.lookup_id);
  }

  /** Names the row of a key that was charged and has no response: somebody deleted it, or it was not restored. */
  noteLost({ partner_id, key_hash }: Lease): void {
    this.macs.noteRow('stored_response', [partner_id, key_hash]);
  }

  /** The second attempt finds the row that another request inserted during the first. */
  private async begun(row: NewRow): Promise<BegunRow> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const begun = await beginRow(this.pool, row, { leaseSeconds: LEASE_SECONDS, retentionHours: RETENTION_HOURS });
      if (begun) return begun;
    }
    throw new ApiError('idempotency_in_progress');
  }

  private async encrypt(rupa_id: string, payload: string, bound: string): Promise<string | undefined> {
    if (rupa_id === '') return await this.ownKey.encrypt(payload, bound);
    return (await this.keys.load([rupa_id])).get(rupa_id)?.encrypt(payload, bound);
  }

  /**
   * Names a row that was edited: its ciphertext is bound to the partner, the key, the lookup and the request.
   * @throws CiphertextUnusable; Rejection `farmer_unknown` if the farmer was erased after the response was stored
   */
  private async genuine(row: BegunRow, partnerId: string, keyHash: string): Promise<string> {
    try {
      return await this.decrypt(row, partnerId, keyHash);
    } catch (error) {
      if (error instanceof CiphertextUnusable) this.macs.noteRow('stored_response', [partnerId, keyHash]);
      throw error;
    }
  }

  private async decrypt({ rupa_id, response, lookup_id, request_hash }: BegunRow, partner_id: string, key_hash: string): Promise<string> {
    const decrypter = await this.decrypterOf(rupa_id);
    const bound = { partner_id, key_hash, lookup_id };
    try {
      return await decrypter(response ?? '', requestBinding({ ...bound, request_hash }));
    } catch (error) {
      if (!(error instanceof CiphertextUnusable)) throw error;
      // A response that an earlier release stored is not bound to its request.
      return await decrypter(response ?? '', binding(partner_id, key_hash, lookup_id));
    }
  }

  /** @throws Rejection `farmer_unknown` if the farmer was erased */
  private async decrypterOf(rupaId: string): Promise<(encrypted: string, bound: string) => Promise<string>> {
    if (rupaId === '') return (encrypted, bound) => this.ownKey.decrypt(encrypted, bound);
    const dataKey = (await this.keys.load([rupaId])).get(rupaId);
    return (encrypted, bound) => {
      const payload = dataKey?.decrypt(encrypted, bound);
      if (payload === undefined) throw new FarmerRejection('farmer_unknown');
      return Promise.resolve(payload);
    };
  }
}

/** @throws LeaseLost */
export function requireLease(isHeld: boolean): asserts isHeld {
  if (!isHeld) throw new LeaseLost('Another request with this Idempotency-Key took over the lease.');
}

/** Returns the AAD of a response: with another request, its key must not get it. */
export function requestBinding({
  partner_id,
  key_hash,
  lookup_id,
  request_hash,
}: Pick<Lease, 'partner_id' | 'key_hash' | 'lookup_id' | 'request_hash'>): string {
  return `${binding(partner_id, key_hash, lookup_id)}\n${request_hash}`;
}

/** Returns the AAD of a piece of a response. The prefix is part of existing ciphertexts and must not change. */
export function binding(partnerId: string, keyHash: string, lookupId: string): string {
  return `kept-answer\n${partnerId}\n${keyHash}\n${lookupId}`;
}
