import { ConflictException, Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { ValidationFailed } from '../../http/validation.js';
import { LOGGER, POOL } from '../../platform/injection-tokens.js';
import { DataKeys } from '../../platform/key-store/data-keys.js';
import { FarmerRejection } from '../farmers/public.js';

/** Longer than a lookup may take from its row to its stored response: only one holder can ever keep one. */
const LEASE_SECONDS = 20;
/** Decisions, "Retrying a lookup". */
const RETENTION_HOURS = 24;
const CLEAN_UP_EVERY_MS = 10 * 60 * 1_000;

/** A lookup as its Idempotency-Key knows it. */
export interface KeyedRequest {
  readonly partner_id: string;
  /** As the partner sent it; only its hash is stored. */
  readonly key: string;
  readonly rupa_id: string;
  /** Of the validated body. */
  readonly request_hash: string;
}

/** The right to answer a key's lookup. */
export interface Lease {
  readonly partner_id: string;
  readonly key_hash: string;
  readonly holder: string;
  readonly rupa_id: string;
  readonly lookup_id: string;
  /** The lookup of a holder that never came back; if it was charged, that charge must go back first. */
  readonly abandoned: string | undefined;
}

export type Begun = { readonly kind: 'first'; readonly lease: Lease } | { readonly kind: 'stored'; readonly payload: string };

interface Row {
  readonly request_hash: string;
  readonly lookup_id: string;
  readonly rupa_id: string;
  readonly holder: string;
  readonly response: string | null;
}

/** Thrown where another holder has taken the key over: this one's charge must go back. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Answers by Idempotency-Key, encrypted under the farmer's data key (docs/adr/0006). */
@Injectable()
export class StoredResponses implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly keys: DataKeys,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.removeOld().catch((error: unknown) => {
        this.logger.warn({ reason: String(error) }, 'old stored responses could not be removed; trying again');
      });
    }, CLEAN_UP_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** @throws ValidationFailed for another body, ConflictException while another request with the key is running. */
  async begin({ partner_id, key, rupa_id, request_hash }: KeyedRequest): Promise<Begun> {
    const key_hash = createHash('sha256').update(key).digest('hex');
    const holder = randomUUID();
    const lookup_id = randomUUID();
    const row = await this.row([partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, LEASE_SECONDS, RETENTION_HOURS]);
    if (row.request_hash !== request_hash)
      throw new ValidationFailed({ 'Idempotency-Key': ['The Idempotency-Key header was already used with another body.'] });
    if (row.response !== null) return { kind: 'stored', payload: await this.open(row, partner_id, key_hash) };
    if (row.holder !== holder) throw new ConflictException('A lookup with this Idempotency-Key is still running. Please retry shortly.');
    const abandoned = row.lookup_id === lookup_id ? undefined : row.lookup_id;
    return { kind: 'first', lease: { partner_id, key_hash, holder, rupa_id, lookup_id, abandoned } };
  }

  /** Once what was abandoned has been refunded: from here on this lookup is the one to refund. @throws LeaseLost */
  async takeOver({ partner_id, key_hash, holder, lookup_id }: Lease): Promise<void> {
    await this.own(
      'update ops.stored_response set lookup_id = $4 where partner_id = $1 and key_hash = $2 and holder = $3 and response is null',
      [partner_id, key_hash, holder, lookup_id],
    );
  }

  /** Before it is sent: from here on the lookup counts as answered, whatever becomes of this process. @throws LeaseLost */
  async store({ partner_id, key_hash, holder, rupa_id, lookup_id }: Lease, payload: string): Promise<void> {
    const openers = await this.keys.open([rupa_id]);
    const response = openers.get(rupa_id)?.encrypt(payload, binding(partner_id, key_hash, lookup_id));
    await this.own(
      `update ops.stored_response set response = $4, leased_until = now()
       where partner_id = $1 and key_hash = $2 and holder = $3 and response is null and leased_until > now()`,
      [partner_id, key_hash, holder, response],
    );
  }

  /**
   * A lookup that was not charged, or could not be answered, leaves nothing: the key may be used again at once. An answer that was kept
   * although nobody heard of it stays, since others may have fetched it already. Answers whether it did.
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

  private async removeOld(): Promise<void> {
    await this.pool.query('delete from ops.stored_response where begun_at < now() - make_interval(hours => $1)', [RETENTION_HOURS]);
  }

  /** The second time finds what another request was just inserting the first time. */
  private async row(values: readonly unknown[]): Promise<Row> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { rows } = await this.pool.query<Row>(BEGIN, [...values]);
      if (rows[0]) return rows[0];
    }
    throw new ConflictException('Another lookup with this Idempotency-Key has just ended. Please retry.');
  }

  private async own(statement: string, values: readonly unknown[]): Promise<void> {
    const { rowCount } = await this.pool.query(statement, [...values]);
    if (rowCount !== 1) throw new LeaseLost('Another request took the Idempotency-Key over.');
  }

  /** Raises Rejection `farmer_unknown` where the farmer was erased since. */
  private async open({ rupa_id, response, lookup_id }: Row, partnerId: string, keyHash: string): Promise<string> {
    const openers = await this.keys.open([rupa_id]);
    const payload = openers.get(rupa_id)?.open(response ?? '', binding(partnerId, keyHash, lookup_id));
    if (payload === undefined) throw new FarmerRejection('farmer_unknown');
    return payload;
  }
}

/** Makes the key's row, takes it over where its lease ran out, or else leaves it as it is and answers it. */
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
    returning request_hash, lookup_id, rupa_id, holder, response)
  select * from begun
  union all
  select request_hash, lookup_id, rupa_id, holder, response from ops.stored_response
  where partner_id = $1 and key_hash = $2 and not exists (select from begun)`;

function binding(partnerId: string, keyHash: string, lookupId: string): string {
  return `kept-answer\n${partnerId}\n${keyHash}\n${lookupId}`;
}
