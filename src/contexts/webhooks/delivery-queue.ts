import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { type WebhookEndpointRow } from '../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { type Mode } from '../../kernel/modes.js';

/** A delivery that this sender, and no other, may attempt until its lease runs out. */
export interface Claimed extends Pick<WebhookEndpointRow, 'endpoint_id' | 'partner_id' | 'url' | 'secret_id' | 'replaced_secrets'> {
  readonly delivery_id: number;
  readonly holder: string;
  /** From 1. */
  readonly attempt: number;
  readonly mode: Mode;
  readonly event_id: string;
  readonly type: string;
  readonly rupa_id: string | null;
  readonly event: string | null;
  readonly contribution_id: number | null;
  readonly occurred_at: string | null;
  readonly recorded_at: string;
  readonly sequence: string | null;
  readonly endpoint_status: WebhookEndpointRow['status'];
  readonly subscribed: boolean;
  readonly consented: boolean;
  readonly erased: boolean;
}

/** What is recorded of an attempt, or of a delivery that is not to be attempted. */
export interface Outcome {
  readonly delivery_id: number;
  readonly holder: string;
  readonly status: 'delivered' | 'failed' | 'exhausted' | 'cancelled';
  /** null where it was not attempted. */
  readonly attempted_at: string | null;
  readonly next_attempt_at: string | null;
  readonly response_status: number | null;
  readonly duration_ms: number | null;
  readonly error: string | null;
}

/**
 * Due deliveries, the longest due first. Of each endpoint's no more than the first few may be under way, whichever sender has them: a lease
 * changes nothing of their order. Only what is taken is locked, which writes to its page. Whoever claims at the same moment takes the same
 * first: so twice as many are chosen as are asked for, and looked at again; coalesce() keeps that to their ids, out of the index of what is
 * due. Endpoint, subscription and consent are those of this moment.
 */
const CLAIM = `with chosen as (
    select d.delivery_id from read.webhook_endpoint e
    cross join lateral (
      select w.delivery_id, w.next_attempt_at, w.leased_until from ops.webhook_delivery w
      where w.endpoint_id = e.endpoint_id and w.next_attempt_at <= now()
      order by w.next_attempt_at, w.delivery_id limit $3) d
    where d.leased_until is null or d.leased_until < now()
    order by d.next_attempt_at limit 2 * $2),
  picked as (
    select w.delivery_id from ops.webhook_delivery w
    where w.delivery_id = any(array(select delivery_id from chosen)) and coalesce(w.next_attempt_at <= now(), false) and (w.leased_until is null or w.leased_until < now())
    order by w.next_attempt_at limit $2 for update skip locked)
  update ops.webhook_delivery w set holder = $1, leased_until = now() + make_interval(secs => $4), attempt = w.attempt + 1
  from read.webhook_endpoint e
  where w.delivery_id = any(array(select delivery_id from picked)) and e.endpoint_id = w.endpoint_id
  returning w.delivery_id, w.holder, w.attempt, w.endpoint_id, w.partner_id, w.event_id, w.type, w.rupa_id, w.event, w.contribution_id, w.occurred_at,
    w.recorded_at, w.sequence, e.mode, e.url, e.secret_id, e.replaced_secrets, e.status as endpoint_status,
    (w.rupa_id is null or e.events ? '*' or e.events ? w.type) as subscribed,
    (w.rupa_id is null or exists (select from read.consent_roster c where c.partner_id = w.partner_id and c.rupa_id = w.rupa_id)) as consented,
    exists (select from read.erased_farmer f where f.rupa_id = w.rupa_id) as erased`;

/** What was cancelled was not attempted. */
const RECORD = `update ops.webhook_delivery w set status = r.status, attempted_at = coalesce(r.attempted_at, w.attempted_at),
    attempt = case when r.attempted_at is null then w.attempt - 1 else w.attempt end, next_attempt_at = r.next_attempt_at, response_status = r.response_status,
    duration_ms = r.duration_ms, error = r.error, holder = null, leased_until = null
  from json_to_recordset($1) as r(delivery_id bigint, holder uuid, status text, attempted_at timestamptz, next_attempt_at timestamptz, response_status integer, duration_ms integer, error text)
  where w.delivery_id = r.delivery_id and w.holder = r.holder`;

/**
 * The delivery rows as a queue that any number of senders share. Nothing here is a named statement: a plan that is kept from when the
 * table was small reads the whole of it for each batch.
 */
export class DeliveryQueue {
  constructor(private readonly pool: Pool) {}

  async claim(max: number, perEndpoint: number, leaseSeconds: number): Promise<Claimed[]> {
    const { rows } = await this.pool.query<Claimed>(CLAIM, [randomUUID(), max, perEndpoint, leaseSeconds]);
    return rows;
  }

  /** What another sender took over meanwhile is that one's to record. */
  async record(outcomes: readonly Outcome[]): Promise<void> {
    await this.pool.query(RECORD, [JSON.stringify(outcomes)]);
  }

  /** Gives back what was claimed and not attempted to its end. */
  async release(claimed: readonly Claimed[]): Promise<void> {
    await this.pool.query('update ops.webhook_delivery set leased_until = now() where delivery_id = any($1) and holder = any($2)', [
      claimed.map(({ delivery_id }) => delivery_id),
      [...new Set(claimed.map(({ holder }) => holder))],
    ]);
  }

  /** Whatever waits for endpoints that are disabled or deleted. */
  async cancelUnwanted(): Promise<void> {
    await this.pool.query(
      `update ops.webhook_delivery w set status = 'cancelled', next_attempt_at = null, error = 'endpoint_' || e.status, holder = null, leased_until = null
       from read.webhook_endpoint e
       where w.endpoint_id = any(array(select endpoint_id from read.webhook_endpoint where status <> 'enabled')) and e.endpoint_id = w.endpoint_id
         and w.next_attempt_at is not null and (w.leased_until is null or w.leased_until < now())`,
    );
  }

  /** Deliveries that ended so many days ago. */
  async removeOld(days: number): Promise<void> {
    await this.pool.query(
      'delete from ops.webhook_delivery where next_attempt_at is null and created_at < now() - make_interval(secs => $1)',
      [days * 86_400],
    );
  }

  /** Notes which endpoints answered well and which did not; answers those that have failed for `seconds`, once. */
  async noteHealth(well: readonly number[], badly: readonly number[], seconds: number): Promise<number[]> {
    if (well.length > 0) await this.pool.query('delete from ops.webhook_health where endpoint_id = any($1)', [well]);
    const failing = badly.filter((id) => !well.includes(id));
    if (failing.length === 0) return [];
    await this.pool.query(
      'insert into ops.webhook_health (endpoint_id, failing_since) select id, now() from unnest($1::bigint[]) as id on conflict do nothing',
      [failing],
    );
    const { rows } = await this.pool.query<{ endpoint_id: number }>(
      'delete from ops.webhook_health where endpoint_id = any($1) and failing_since < now() - make_interval(secs => $2) returning endpoint_id',
      [failing, seconds],
    );
    return rows.map(({ endpoint_id }) => endpoint_id);
  }
}
