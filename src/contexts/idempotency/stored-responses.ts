import { Inject, Injectable } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { ApiError } from '../../http/api-error.js';
import { POOL } from '../../platform/injection-tokens.js';
import { DataKeys } from '../../platform/key-store/data-keys.js';
import { FarmerRejection } from '../farmers/public.js';
import { LEASE_SECONDS } from '../wallet/public.js';
import { ResponseKey } from './response-key.js';

/** How long a stored response is kept (decisions, "Retrying a lookup"). */
export const RETENTION_HOURS = 24;

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  readonly partner_id: string;
  /** The Idempotency-Key as the partner sent it; only its hash is stored. */
  readonly key: string;
  /** The farmer whose data key encrypts the response; empty for a response about no farmer. */
  readonly rupa_id: string;
  /** SHA-256 of the request, in hex: of a lookup's validated body, of any other request's method, path and body. */
  readonly request_hash: string;
}

/** The right to execute the request of a key, until `leased_until` of its row. */
export interface Lease {
  readonly partner_id: string;
  readonly key_hash: string;
  readonly holder: string;
  readonly rupa_id: string;
  /** Id of the lookup or, for another call, of the operation. */
  readonly lookup_id: string;
  /** The lookup of an earlier holder whose lease expired. If it was charged, that charge must be refunded before this lookup begins. */
  readonly abandoned: string | undefined;
}

export type BeginResult = { readonly kind: 'first'; readonly lease: Lease } | { readonly kind: 'stored'; readonly payload: string };

interface Row {
  readonly request_hash: string;
  readonly lookup_id: string;
  readonly rupa_id: string;
  readonly holder: string;
  readonly response: string | null;
}

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
  ) {}

  /**
   * Returns the stored response of the key, or a lease to execute the lookup.
   * @throws ApiError `idempotency_key_reused` if the key was used with another body
   * @throws ApiError `idempotency_in_progress` while another request with the key is running
   */
  async begin({ partner_id, key, rupa_id, request_hash }: KeyedRequest): Promise<BeginResult> {
    const key_hash = createHash('sha256').update(key).digest('hex');
    const holder = randomUUID();
    const lookup_id = randomUUID();
    const row = await this.row([partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, LEASE_SECONDS, RETENTION_HOURS]);
    if (row.request_hash !== request_hash)
      throw new ApiError('idempotency_key_reused', {
        data: { errors: { 'Idempotency-Key': ['The Idempotency-Key header was already used with another path or body.'] } },
      });
    if (row.response !== null) return { kind: 'stored', payload: await this.decrypt(row, partner_id, key_hash) };
    if (row.holder !== holder) throw new ApiError('idempotency_in_progress');
    const abandoned = row.lookup_id === lookup_id ? undefined : row.lookup_id;
    return { kind: 'first', lease: { partner_id, key_hash, holder, rupa_id, lookup_id, abandoned } };
  }

  /**
   * Replaces the abandoned lookup's id by this lookup's. Call it after the abandoned charge was refunded: from then on a later holder
   * refunds this lookup.
   * @throws LeaseLost
   */
  async takeOver({ partner_id, key_hash, holder, lookup_id }: Lease): Promise<void> {
    await this.updateOwned(
      'update ops.stored_response set lookup_id = $4 where partner_id = $1 and key_hash = $2 and holder = $3 and response is null',
      [partner_id, key_hash, holder, lookup_id],
    );
  }

  /**
   * Stores the response. Call it before the response is sent: once it is stored, the charge is settled even if this process dies.
   * @throws LeaseLost
   */
  async store({ partner_id, key_hash, holder, rupa_id, lookup_id }: Lease, payload: string): Promise<void> {
    const response = await this.encrypt(rupa_id, payload, binding(partner_id, key_hash, lookup_id));
    await this.updateOwned(
      `update ops.stored_response set response = $4, leased_until = now()
       where partner_id = $1 and key_hash = $2 and holder = $3 and response is null
         and leased_until > now() and leased_until <= now() + make_interval(secs => $5)`,
      [partner_id, key_hash, holder, response, LEASE_SECONDS],
    );
  }

  /**
   * Deletes the row of a lookup that was not charged or has no response, so that the key can be used again at once. If the response was
   * stored although the database did not confirm it, the row stays, because another request may already have received that response.
   * Returns which of the two was the case.
   */
  async withdraw({ partner_id, key_hash, holder }: Lease): Promise<'withdrawn' | 'stored'> {
    const own = [partner_id, key_hash, holder];
    const { rowCount } = await this.pool.query(
      'delete from ops.stored_response where partner_id = $1 and key_hash = $2 and holder = $3 and response is null',
      own,
    );
    if (rowCount === 1) return 'withdrawn';
    const { rows } = await this.pool.query(
      'select 1 from ops.stored_response where partner_id = $1 and key_hash = $2 and holder = $3 and response is not null',
      own,
    );
    return rows.length === 1 ? 'stored' : 'withdrawn';
  }

  /** Ends the lease of an operation that failed with an unknown outcome: the next request with the key takes it over, with its id. */
  async abandon({ partner_id, key_hash, holder, lookup_id }: Lease): Promise<void> {
    await this.pool.query(
      `update ops.stored_response set leased_until = now(), lookup_id = $4
       where partner_id = $1 and key_hash = $2 and holder = $3 and response is null`,
      [partner_id, key_hash, holder, lookup_id],
    );
  }

  /**
   * Runs {@link BEGIN}. The first attempt returns no row if another request inserts the key's row at the same time: the statement's
   * snapshot does not contain that row. The second attempt finds it.
   */
  private async row(values: readonly unknown[]): Promise<Row> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { rows } = await this.pool.query<Row>(BEGIN, [...values]);
      if (rows[0]) return rows[0];
    }
    throw new ApiError('idempotency_in_progress');
  }

  private async updateOwned(statement: string, values: readonly unknown[]): Promise<void> {
    const { rowCount } = await this.pool.query(statement, [...values]);
    if (rowCount !== 1) throw new LeaseLost('Another request with this Idempotency-Key took over the lease.');
  }

  private async encrypt(rupa_id: string, payload: string, bound: string): Promise<string | undefined> {
    if (rupa_id === '') return await this.ownKey.encrypt(payload, bound);
    return (await this.keys.load([rupa_id])).get(rupa_id)?.encrypt(payload, bound);
  }

  /** @throws Rejection `farmer_unknown` if the farmer was erased after the response was stored */
  private async decrypt({ rupa_id, response, lookup_id }: Row, partnerId: string, keyHash: string): Promise<string> {
    if (rupa_id === '') return await this.ownKey.decrypt(response ?? '', binding(partnerId, keyHash, lookup_id));
    const dataKeys = await this.keys.load([rupa_id]);
    const payload = dataKeys.get(rupa_id)?.decrypt(response ?? '', binding(partnerId, keyHash, lookup_id));
    if (payload === undefined) throw new FarmerRejection('farmer_unknown');
    return payload;
  }
}

/**
 * Inserts the key's row, or takes it over if its lease or its retention has expired, or else returns it unchanged. The lookup_id of an
 * expired lease is kept, so that the new holder can refund the abandoned charge. A lease that is too long is measured from
 * clock_timestamp(), because now() is when this statement began: a lease that was taken while it waited ends later than that allows.
 */
const BEGIN = `with begun as (
    insert into ops.stored_response as k (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until)
    values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
    on conflict (partner_id, key_hash) do update set
      holder = excluded.holder,
      leased_until = excluded.leased_until,
      lookup_id = case when k.response is null then k.lookup_id else excluded.lookup_id end,
      request_hash = excluded.request_hash, rupa_id = excluded.rupa_id, begun_at = now(), response = null
    where k.begun_at < now() - make_interval(hours => $8)
       or (k.response is null and k.leased_until < now() and k.request_hash = excluded.request_hash)
       or (k.response is null and k.leased_until > clock_timestamp() + make_interval(secs => $7) and k.request_hash = excluded.request_hash)
    returning request_hash, lookup_id, rupa_id, holder, response)
  select * from begun
  union all
  select request_hash, lookup_id, rupa_id, holder, response from ops.stored_response
  where partner_id = $1 and key_hash = $2 and not exists (select from begun)`;

/** Returns the AAD of a stored response. The prefix is part of existing ciphertexts and must not change. */
function binding(partnerId: string, keyHash: string, lookupId: string): string {
  return `kept-answer\n${partnerId}\n${keyHash}\n${lookupId}`;
}
