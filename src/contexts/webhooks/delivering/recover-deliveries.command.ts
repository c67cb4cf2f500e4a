import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { type WebhookEndpointRow } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { Clock } from '../../../kernel/clock.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { inTransaction } from '../../../platform/database/pool.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DELIVERIES_CHANNEL } from '../notifying/notification-writer.js';
import { EVENTS_KEPT_DAYS } from '../domain/notification.js';
import { NOTIFICATION_COLUMNS, notificationColumns } from '../notifying/notification-columns.js';
import { PERMITTED_TO_OWNER } from '../events/event-statements.js';
import { AFTER_CONSENT, LISTED, OF_ERASURE, subscribesTo } from '../notifying/notification-conditions.js';
import { EndpointFinder } from '../endpoints/endpoint-finder.js';
import { lockRecoveries } from './delivery-queue.js';
import { WebhookOptions } from '../webhook-options.js';
import { type RecoverWebhookDto } from '../endpoints/webhooks.dto.js';

const c = columnsOf<ConsentRosterRow>('c');
const e = columnsOf<WebhookEndpointRow>('e');

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds between two deliveries, so that a recovering endpoint gets at most ten a second (decisions, "Events"). */
const INTERVAL_MS = 100;

/**
 * Queues the events since $3 that the endpoint $1 of the partner $2 subscribes to and has no delivered delivery of, with those that an earlier
 * recovery has not delivered, in their order. A delivery that has ended or waits starts again. One whose attempt is in progress keeps its
 * lease, and the outcome of that attempt decides whether there is another one (DeliveryQueue.record). `created_at` has an index and is never
 * before `recorded_at`, except for the difference of two clocks.
 */
const QUEUE = `with missed as materialized (
    select ${notificationColumns('n')} from (
      select n.* from ops.notification n where n.partner_id = $2 and ${PERMITTED_TO_OWNER}
      union all
      select n.* from ops.notification n
      join read.consent_roster c on ${c.partner_id} = $2 and ${c.rupa_id} = n.rupa_id where n.partner_id is null and not ${OF_ERASURE} and ${AFTER_CONSENT}
      union all
      select n.* from ops.notification_recipient r join ops.notification n on n.sequence = r.sequence where r.partner_id = $2) n
    join read.webhook_endpoint e on ${e.endpoint_id} = $1
    where n.recorded_at >= $3 and n.created_at >= $3::timestamptz - interval '1 hour' and ${subscribesTo('n')} and ${LISTED}
      and not exists (select from ops.webhook_delivery w where w.event_id = n.event_id and w.endpoint_id = $1 and w.status = 'delivered')),
  superseded as materialized (
    select ${notificationColumns('w')} from ops.webhook_delivery w
    where w.endpoint_id = $1 and w.recovering and w.next_attempt_at is not null
      and not exists (select from missed m where m.event_id = w.event_id))
  insert into ops.webhook_delivery (${NOTIFICATION_COLUMNS.join(', ')}, endpoint_id, partner_id, recovering, next_attempt_at)
  select ${notificationColumns('n')}, $1, $2, true,
    now() + (row_number() over (order by n.sequence) - 1) * make_interval(secs => ${INTERVAL_MS / 1_000})
  from (select * from missed union all select * from superseded) n order by n.sequence
  on conflict (event_id, endpoint_id) do update set status = 'pending', attempt = 0, next_attempt_at = excluded.next_attempt_at,
    error = null, recovering = true, holder = case when webhook_delivery.leased_until > now() then webhook_delivery.holder end,
    leased_until = case when webhook_delivery.leased_until > now() then webhook_delivery.leased_until end
  where webhook_delivery.status <> 'delivered'`;

/**
 * Queues every event since a time that an endpoint subscribes to and has not received, and what an earlier recovery of the endpoint, which
 * ends with this, has not delivered. Returns how many.
 * @throws Rejection `webhook_unknown` or `webhook_disabled`
 * @throws ValidationFailed if `since` is in the future, or longer ago than events, or deliveries, are kept
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
  ) {}

  async execute({ endpointId, recovery, partnerId }: RecoverDeliveries): Promise<number> {
    const from = this.checked(recovery.since);
    return await inTransaction(this.pool, async (client) => {
      const partner = (await this.endpoints.findEnabled(endpointId, partnerId, client)).partner_id;
      await lockRecoveries(client, [endpointId]);
      const queued = (await client.query(QUEUE, [endpointId, partner, from])).rowCount ?? 0;
      if (queued > 0) await client.query('select pg_notify($1, $2)', [DELIVERIES_CHANNEL, '']);
      return queued;
    });
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
