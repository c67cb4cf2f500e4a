import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool, type PoolClient } from 'pg';
import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { type WebhookEndpointRow } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { Clock } from '../../../kernel/clock.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { inTransaction } from '../../../platform/database/pool.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DELIVERIES_CHANNEL } from '../notifying/notification-writer.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { EVENTS_KEPT_DAYS } from '../domain/notification.js';
import {
  type NOTIFICATION_COLUMNS,
  notificationColumns,
  type NotificationRow,
  AFTER_CONSENT,
  LISTED,
  OF_ERASURE,
  subscribesTo,
} from '../notifying/notification-columns.js';
import { PERMITTED_TO_OWNER } from '../events/event-statements.js';
import { assertGenuine, deliveryTable, queueRecovered, type ReadNotification } from '../notifying/signed-rows.js';
import { EndpointFinder } from '../endpoints/endpoint-finder.js';
import { lockRecoveries } from './delivery-queue.js';
import { WebhookOptions } from '../webhook-options.js';
import { type RecoverWebhookDto } from '../endpoints/webhooks.dto.js';

const c = columnsOf<ConsentRosterRow>('c');
const e = columnsOf<WebhookEndpointRow>('e');

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds between two deliveries, so that a recovering endpoint gets at most ten a second (decisions, "Events"). */
const INTERVAL_MS = 100;

/** Rows that are queued at a time. */
const BATCH_ROWS = 5_000;

/**
 * Selects the events since $3 that the endpoint $1 of the partner $2 subscribes to and has no delivered delivery of, with the deliveries that
 * an earlier recovery has not made, in their order. `created_at` has an index and is never before `recorded_at`, except for the difference of
 * two clocks.
 */
const UNDELIVERED = `with missed as materialized (
    select ${notificationColumns('n')}, n.partner_id, n.mac, n.recipient_mac from (
      select n.*, null::text as recipient_mac from ops.notification n where n.partner_id = $2 and ${PERMITTED_TO_OWNER}
      union all
      select n.*, null from ops.notification n
      join read.consent_roster c on ${c.partner_id} = $2 and ${c.rupa_id} = n.rupa_id where n.partner_id is null and not ${OF_ERASURE} and ${AFTER_CONSENT}
      union all
      select n.*, r.mac from ops.notification_recipient r join ops.notification n on n.sequence = r.sequence where r.partner_id = $2) n
    join read.webhook_endpoint e on ${e.endpoint_id} = $1
    where n.recorded_at >= $3 and n.created_at >= $3::timestamptz - interval '1 hour' and ${subscribesTo('n')} and ${LISTED}
      and not exists (select from ops.webhook_delivery w where w.event_id = n.event_id and w.endpoint_id = $1 and w.status = 'delivered')),
  superseded as materialized (
    select ${notificationColumns('w')}, w.partner_id, w.mac, null::text as recipient_mac from ops.webhook_delivery w
    where w.endpoint_id = $1 and w.recovering and w.next_attempt_at is not null
      and not exists (select from missed m where m.event_id = w.event_id))
  select * from (select *, true as listed from missed union all select *, false as listed from superseded) n order by n.sequence`;

/** An event of the list, or the delivery of one that an earlier recovery has queued. */
type Undelivered = Pick<NotificationRow, (typeof NOTIFICATION_COLUMNS)[number]> & ReadNotification & { readonly listed: boolean };

/**
 * Queues every event since a time that an endpoint subscribes to and has not received, and what an earlier recovery of the endpoint, which
 * ends with this, has not delivered. Returns how many.
 * @throws Rejection `webhook_unknown` or `webhook_disabled`
 * @throws ValidationFailed if `since` is in the future, or longer ago than events, or deliveries, are kept; RowForged
 */
export class RecoverDeliveries extends Command<number> {
  constructor(
    readonly endpointId: number,
    readonly recovery: RecoverWebhookDto,
    /** The partner that calls; without one, the endpoint may be of any. */
    readonly partnerId?: string,
  ) {
    super();
  }
}

@CommandHandler(RecoverDeliveries)
export class RecoverDeliveriesHandler implements ICommandHandler<RecoverDeliveries> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly endpoints: EndpointFinder,
    private readonly clock: Clock,
    private readonly options: WebhookOptions,
    private readonly macs: RowMacs,
  ) {}

  async execute({ endpointId, recovery, partnerId }: RecoverDeliveries): Promise<number> {
    const from = this.checked(recovery.since);
    return await inTransaction(this.pool, async (client) => {
      const partner = (await this.endpoints.findEnabled(endpointId, partnerId, client)).partner_id;
      await lockRecoveries(client, [endpointId]);
      const queued = await this.queue(client, endpointId, partner, from);
      if (queued > 0) await client.query('select pg_notify($1, $2)', [DELIVERIES_CHANNEL, '']);
      return queued;
    });
  }

  private async queue(client: PoolClient, endpoint_id: number, partner_id: string, from: string): Promise<number> {
    await client.query(`declare undelivered no scroll cursor for ${UNDELIVERED}`, [endpoint_id, partner_id, from]);
    let queued = 0;
    for (let [place, size] = [0, BATCH_ROWS]; size === BATCH_ROWS; place += size) {
      const { rows } = await client.query<Undelivered>(`fetch ${BATCH_ROWS} from undelivered`);
      size = rows.length;
      const genuine = rows.map((row) => this.genuine(row, endpoint_id, partner_id));
      const placed = genuine.map((row, index) => ({ ...row, endpoint_id, partner_id, place: place + index }));
      queued += await queueRecovered(client, this.macs, placed, INTERVAL_MS / 1_000);
    }
    return queued;
  }

  /** Returns what to send. @throws RowForged: a row that somebody edited must not become one with a MAC that holds */
  private genuine({ listed, ...row }: Undelivered, endpoint_id: number, partner_id: string): Omit<Undelivered, 'listed'> {
    if (listed) assertGenuine(this.macs, row, partner_id);
    else this.macs.genuine(deliveryTable, { ...row, endpoint_id });
    return row;
  }

  /** A delivery that was deleted after its time would count as one that was never made. */
  private checked(since: string): string {
    const days = Math.min(EVENTS_KEPT_DAYS, this.options.retentionDays);
    const from = new Date(since);
    const now = this.clock.now().getTime();
    if (from.getTime() < now - days * DAY_MS) throw new ValidationFailed({ since: [`The since field must be at most ${days} days ago.`] });
    if (from.getTime() > now) throw new ValidationFailed({ since: ['The since field must not be in the future.'] });
    return from.toISOString();
  }
}
