import { randomUUID } from 'node:crypto';
import { type Pool, type PoolClient } from 'pg';
import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { type ErasedFarmerRow } from '../../../../projections/erased-farmer/erased-farmer.projection.js';
import { type WebhookEndpointRow } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { type Mode } from '../../../kernel/accounts.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { sequenceOffset } from '../../../platform/projecting/checkpoints.js';
import { setAsideIn } from '../../../platform/unusable-events/unusable-table.js';
import { ERASED_TYPE, TEST_TYPE } from '../domain/notification-types.js';
import { type NOTIFICATION_COLUMNS, notificationColumns, subscribesTo } from '../notifying/notification-columns.js';
import { WEBHOOK_SUBSCRIBER } from '../notifying/notification-writer.js';
import { type DeliveryRow, type HealthRow } from './delivery-rows.js';

const c = columnsOf<ConsentRosterRow>('c');
const e = columnsOf<WebhookEndpointRow>('e');
const f = columnsOf<ErasedFarmerRow>('f');

/** Longer than any wait for an attempt, which is 30 days plus 20 % at most, and than any lease. */
const LONGEST_WAIT_SECONDS = 37 * 86_400;

/** A row that is older than its stream's last event is usually newer a moment later. */
const POSTPONED_SECONDS = 2;

/** A delivery whose signing secret cannot be read is looked at again after this time, because the endpoint's partner may rotate the secret. */
const UNSIGNED_SECONDS = 20;

/** A delivery whose MAC does not hold is looked at again after this time, because the process may lack the master key of the MAC. */
const PARKED_SECONDS = 600;

type EndpointColumns = Pick<WebhookEndpointRow, 'endpoint_id' | 'partner_id' | 'url' | 'secret_id' | 'replaced_secrets'>;
type DeliveryColumns = Pick<DeliveryRow, 'delivery_id' | 'attempt' | 'mac' | (typeof NOTIFICATION_COLUMNS)[number]>;

/** A delivery that only this sender may attempt until its lease expires. */
export interface ClaimedDelivery extends EndpointColumns, DeliveryColumns {
  readonly holder: string;
  /** When the delivery was claimed, by the database's clock. */
  readonly claimed_at: string;
  /** When the delivery was claimed, by `performance.now()`. */
  readonly claimedAtMs: number;
  readonly due_at: string;
  readonly mode: Mode;
  /** The event's position in the log; of a delivery from before `rupa events copy --switch`, any number. */
  readonly position: string | null;
  readonly endpoint_status: WebhookEndpointRow['status'];
  readonly subscribed: boolean;
  readonly consented: boolean;
  readonly erased: boolean;
}

/** The result to record for an attempt, or for a delivery that was cancelled without an attempt. */
export interface Outcome extends Pick<DeliveryRow, 'delivery_id' | 'next_attempt_at' | 'response_status' | 'duration_ms' | 'error'> {
  readonly holder: string;
  readonly status: 'delivered' | 'failed' | 'exhausted' | 'cancelled';
  /** ISO 8601, UTC; null if the delivery was not attempted. */
  readonly attempted_at: string | null;
}

/**
 * Lists the endpoints with due deliveries. The lateral join reads one index entry per endpoint, however many deliveries are due; a plain
 * `exists` could be planned as a scan of all due deliveries. Endpoints whose settings cannot be told are left out (docs/adr/0030).
 */
const DUE_ENDPOINTS = `select ${e.endpoint_id}, ${e.partner_id} from read.webhook_endpoint e
  cross join lateral (
    select from ops.webhook_delivery w where w.endpoint_id = ${e.endpoint_id} and w.next_attempt_at <= now()
    order by w.next_attempt_at, w.delivery_id limit 1) d
  where ${setAsideIn(`'webhook-' || ${e.endpoint_id}`)} is null`;

/**
 * Claims the longest-due deliveries of the endpoints $2, up to the number in $3 of each. Only the first $4 due deliveries of an endpoint are
 * considered, leased ones included, so at most $4 of an endpoint are in flight across all senders. Concurrent senders choose the same rows,
 * so `chosen` holds twice the number of each endpoint; `picked` checks these rows again and lets SKIP LOCKED drop those already taken. Only
 * `picked` locks rows, because a row lock writes to the row's page. Its `coalesce()` keeps the planner from using the index of due
 * deliveries, so that it fetches the rows by their ids. The status of the endpoint, its subscription and the consent are read at the time of
 * the claim.
 */
const CLAIM = `with chosen as materialized (
    select t.endpoint_id, t.most, array(
      select d.delivery_id from (
        select w.delivery_id, w.next_attempt_at, w.leased_until from ops.webhook_delivery w
        where w.endpoint_id = t.endpoint_id and w.next_attempt_at <= now()
        order by w.next_attempt_at, w.delivery_id limit $4) d
      where d.leased_until is null or d.leased_until < now()
      order by d.next_attempt_at, d.delivery_id limit 2 * t.most) as delivery_ids
    from unnest($2::bigint[], $3::int[]) as t(endpoint_id, most)),
  picked as (
    select p.delivery_id from chosen c
    cross join lateral (
      select w.delivery_id from ops.webhook_delivery w
      where w.delivery_id = any(c.delivery_ids) and coalesce(w.next_attempt_at <= now(), false) and (w.leased_until is null or w.leased_until < now())
      order by w.next_attempt_at, w.delivery_id limit c.most for update skip locked) p)
  update ops.webhook_delivery w set holder = $1, leased_until = now() + make_interval(secs => $5), attempt = w.attempt + 1
  from read.webhook_endpoint e
  where w.delivery_id = any(array(select delivery_id from picked)) and ${e.endpoint_id} = w.endpoint_id
  returning now() as claimed_at, w.next_attempt_at as due_at, w.delivery_id, w.holder, w.attempt, w.endpoint_id, w.partner_id, ${notificationColumns('w')}, w.mac,
    w.sequence - ${sequenceOffset(WEBHOOK_SUBSCRIBER)} as position, ${e.mode}, ${e.url}, ${e.secret_id}, ${e.replaced_secrets}, ${e.status} as endpoint_status,
    (w.type = '${TEST_TYPE}' or ${subscribesTo('w')}) as subscribed,
    (w.rupa_id is null or w.type = '${ERASED_TYPE}' or w.data ->> 'test' = 'true' or exists (select from read.consent_roster c where ${c.partner_id} = w.partner_id and ${c.rupa_id} = w.rupa_id)) as consented,
    (w.type <> '${ERASED_TYPE}' and exists (select from read.erased_farmer f where ${f.rupa_id} = w.rupa_id)) as erased`;

/** Whether a recovery has queued the delivery again during a failed attempt. Only that makes the number of attempts of a claimed delivery 0. */
const QUEUED_AGAIN = "(w.attempt = 0 and r.status in ('failed', 'exhausted'))";

/** Returns an assignment that takes the value of the attempt that ended, and keeps the value of the one before it if there was none. */
const ofLastAttempt = (column: 'response_status' | 'duration_ms'): string =>
  `${column} = case when r.attempted_at is null then w.${column} else r.${column} end`;

/**
 * Records outcomes. A cancelled delivery was not attempted, so the attempt that its claim counted is subtracted, and the response to the one
 * before it stays: it decides whether the partner has received the body (Disclosure). A delivery that was queued again during a failed
 * attempt keeps its place in the recovery.
 */
const RECORD = `update ops.webhook_delivery w set status = case when ${QUEUED_AGAIN} then 'pending' else r.status end,
    attempted_at = coalesce(r.attempted_at, w.attempted_at),
    attempt = case when r.attempted_at is null then greatest(w.attempt - 1, 0) when r.status = 'delivered' then greatest(w.attempt, 1) else w.attempt end,
    next_attempt_at = case when ${QUEUED_AGAIN} then w.next_attempt_at else r.next_attempt_at end, ${ofLastAttempt('response_status')},
    ${ofLastAttempt('duration_ms')}, error = r.error, holder = null, leased_until = null
  from json_to_recordset($1) as r(delivery_id bigint, holder uuid, status text, attempted_at timestamptz, next_attempt_at timestamptz, response_status integer, duration_ms integer, error text)
  where w.delivery_id = r.delivery_id and w.holder = r.holder`;

/** An index of the deliveries of recoveries alone finds the next one. */
const NEXT_RECOVERY = `select (extract(epoch from min(w.next_attempt_at) - now()) * 1000)::float8 as ms from ops.webhook_delivery w
  where w.recovering and w.next_attempt_at > now()`;

/** The deliveries that wait for an attempt. Metrics tell those for endpoints whose attempts fail from the others. */
export interface DeliveryBacklog {
  readonly count: number;
  readonly oldestSeconds: number;
  /** Seconds since the first delivery became due; 0 if none is. */
  readonly overdueSeconds: { readonly responding: number; readonly failing: number };
}

const OVERDUE = 'coalesce(greatest(extract(epoch from now() - min(w.next_attempt_at) filter (where h.endpoint_id is';
const BACKLOG = `select count(*), coalesce(extract(epoch from now() - min(w.created_at)), 0)::float8 as "oldestSeconds",
    json_build_object('responding', ${OVERDUE} null)), 0), 0)::float8, 'failing', ${OVERDUE} not null)), 0), 0)::float8) as "overdueSeconds"
  from ops.webhook_delivery w left join ops.webhook_health h on h.endpoint_id = w.endpoint_id where w.next_attempt_at is not null`;

export async function deliveryBacklog(pool: Pool): Promise<DeliveryBacklog> {
  const { rows } = await pool.query<DeliveryBacklog>(BACKLOG);
  return rows[0] ?? { count: 0, oldestSeconds: 0, overdueSeconds: { responding: 0, failing: 0 } };
}

/**
 * The delivery rows as a queue that any number of senders share. The statements are not named: PostgreSQL would keep a plan made while the
 * table was small, and that plan scans the whole table for each batch.
 */
export class DeliveryQueue {
  constructor(private readonly pool: Pool) {}

  /** Returns the endpoints that have due deliveries, leased ones included. */
  async dueEndpoints(): Promise<Pick<WebhookEndpointRow, 'endpoint_id' | 'partner_id'>[]> {
    const { rows } = await this.pool.query<Pick<WebhookEndpointRow, 'endpoint_id' | 'partner_id'>>(DUE_ENDPOINTS);
    return rows;
  }

  /** Leases due deliveries to this sender, up to the given number of each endpoint, and returns them in the order in which they were due. */
  async claim(counts: ReadonlyMap<number, number>, perEndpoint: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
    const { rows } = await this.pool.query<ClaimedDelivery>(CLAIM, [
      randomUUID(),
      [...counts.keys()],
      [...counts.values()],
      perEndpoint,
      leaseSeconds,
    ]);
    const claimedAtMs = performance.now();
    return rows.map((row) => ({ ...row, claimedAtMs })).sort(byDue);
  }

  /** Returns in how many milliseconds the next delivery of a recovery is due; undefined if none waits. */
  async nextRecoveryMs(): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ ms: number | null }>(NEXT_RECOVERY);
    return rows[0]?.ms ?? undefined;
  }

  /** Records outcomes, except of deliveries that another sender has claimed in the meantime. */
  async record(outcomes: readonly Outcome[]): Promise<void> {
    await this.pool.query(RECORD, [JSON.stringify(outcomes)]);
  }

  /** Ends the leases of deliveries whose attempt was not completed, so that another sender can claim them at once. */
  async release(claimed: readonly ClaimedDelivery[]): Promise<void> {
    await this.pool.query('update ops.webhook_delivery set leased_until = now() where delivery_id = any($1) and holder = any($2)', [
      claimed.map(({ delivery_id }) => delivery_id),
      [...new Set(claimed.map(({ holder }) => holder))],
    ]);
  }

  /** Puts deliveries back that must not be sent now. They can be claimed again soon, and this claim counts as no attempt. */
  async postpone(claimed: readonly ClaimedDelivery[]): Promise<void> {
    await this.putBack(claimed, `leased_until = now() + make_interval(secs => ${POSTPONED_SECONDS})`);
  }

  /** Puts a delivery back that cannot be signed now. This claim counts as no attempt. */
  async holdUnsigned(claimed: ClaimedDelivery): Promise<void> {
    await this.putBack([claimed], `leased_until = now() + make_interval(secs => ${UNSIGNED_SECONDS})`);
  }

  /** Takes deliveries that somebody edited or added out of the way of others. This claim counts as no attempt. */
  async park(claimed: readonly ClaimedDelivery[]): Promise<void> {
    await this.putBack(claimed, `leased_until = null, next_attempt_at = now() + make_interval(secs => ${PARKED_SECONDS})`);
  }

  /** @param until assignments that say from when on the deliveries can be claimed again */
  private async putBack(claimed: readonly ClaimedDelivery[], until: string): Promise<void> {
    await this.pool.query(
      `update ops.webhook_delivery set attempt = greatest(attempt - 1, 0), holder = null, ${until} where delivery_id = any($1) and holder = any($2)`,
      [claimed.map(({ delivery_id }) => delivery_id), [...new Set(claimed.map(({ holder }) => holder))]],
    );
  }

  /** Cancels the deliveries that wait for a disabled or deleted endpoint. */
  async cancelForInactiveEndpoints(): Promise<void> {
    await this.pool.query(
      `update ops.webhook_delivery w set status = 'cancelled', next_attempt_at = null, error = 'endpoint_' || ${e.status}, holder = null, leased_until = null
       from read.webhook_endpoint e
       where w.endpoint_id = any(array(select ${e.endpoint_id} from read.webhook_endpoint e where ${e.status} <> 'enabled')) and ${e.endpoint_id} = w.endpoint_id
         and w.next_attempt_at is not null and (w.leased_until is null or w.leased_until < now())`,
    );
  }

  /**
   * Makes deliveries due that wait longer than any delivery does, and ends leases that are longer than any: the database's clock has been
   * set back since. An endpoint's failures then count from now.
   */
  async correctTimesAhead(): Promise<void> {
    const ahead = `now() + make_interval(secs => ${LONGEST_WAIT_SECONDS})`;
    await this.pool.query(
      `update ops.webhook_delivery set next_attempt_at = least(next_attempt_at, now()), leased_until = null
       where next_attempt_at is not null and (next_attempt_at > ${ahead} or leased_until > ${ahead})`,
    );
    await this.pool.query('update ops.webhook_health set failing_since = now() where failing_since > now()');
  }

  /**
   * Records which endpoints succeeded or failed. Returns the endpoints that have only failed for at least `seconds`, again after each
   * failure until {@link forgetHealth}: the caller may fail to disable them.
   */
  async recordHealth(succeeded: readonly number[], failed: readonly number[], seconds: number): Promise<number[]> {
    if (succeeded.length > 0) await this.pool.query('delete from ops.webhook_health where endpoint_id = any($1)', [succeeded]);
    const failing = failed.filter((id) => !succeeded.includes(id));
    if (failing.length === 0) return [];
    await this.pool.query(
      'insert into ops.webhook_health (endpoint_id, failing_since) select id, now() from unnest($1::bigint[]) as id on conflict do nothing',
      [failing],
    );
    const { rows } = await this.pool.query<Pick<HealthRow, 'endpoint_id'>>(
      'select endpoint_id from ops.webhook_health where endpoint_id = any($1) and failing_since < now() - make_interval(secs => $2)',
      [failing, seconds],
    );
    return rows.map(({ endpoint_id }) => endpoint_id);
  }

  /** Forgets the failures of an endpoint that was disabled, so that they do not count after it is enabled again. */
  async forgetHealth(endpointId: number): Promise<void> {
    await this.pool.query('delete from ops.webhook_health where endpoint_id = $1', [endpointId]);
  }

  /** Forgets the failures of all disabled endpoints: a sender may have been killed after it disabled one. */
  async forgetHealthOfDisabled(): Promise<void> {
    await this.pool.query(
      `delete from ops.webhook_health h using read.webhook_endpoint e where ${e.endpoint_id} = h.endpoint_id and ${e.status} <> 'enabled'`,
    );
  }
}

/** The statement that claims returns rows in the order of the table, which is not that of a recovery. */
function byDue(one: ClaimedDelivery, other: ClaimedDelivery): number {
  return one.due_at < other.due_at ? -1 : one.due_at > other.due_at ? 1 : one.delivery_id - other.delivery_id;
}

/**
 * Locks recoveries of the endpoints until the end of the transaction. Each recovery supersedes the one before it as a whole, and none may
 * queue a notification while a reset deletes it.
 */
export async function lockRecoveries(client: PoolClient, endpointIds: readonly number[]): Promise<void> {
  for (const id of endpointIds) await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`recovery of ${id}`]);
}
