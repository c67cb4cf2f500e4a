import { type PoolClient } from 'pg';
import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { type PartnerRow } from '../../../../projections/partner/partner.projection.js';
import { type WebhookEndpointRow } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { consentHolders } from '../../../../projections/wallet-entry/consent-holders.reader.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { indexableText, storableJson } from '../../../platform/database/postgres-text.js';
import { sequenceOffset } from '../../../platform/projecting/checkpoints.js';
import { type RowMacs } from '../../../platform/projecting/row-macs.js';
import { type ErasureNotice, noticesTo } from '../domain/erasure-notice.js';
import { type Notification, type PartnerNotification } from '../domain/notification.js';
import { subscribesTo } from './notification-columns.js';
import {
  type DeliveryContent,
  insertDeliveries,
  insertNotifications,
  insertRecipients,
  type NotificationContent,
  type RecipientContent,
} from './signed-rows.js';

const c = columnsOf<ConsentRosterRow>('c');
const e = columnsOf<WebhookEndpointRow>('e');
const p = columnsOf<PartnerRow>('p');

/** Name of the subscriber's checkpoint in `ops.checkpoint`. */
export const WEBHOOK_SUBSCRIBER = 'webhook_deliveries';

const OFFSET = sequenceOffset(WEBHOOK_SUBSCRIBER);

const FARMER_EVENTS = `json_to_recordset($1) as n(event_id uuid, type text, rupa_id text, event text, contribution_id bigint, occurred_at timestamptz, recorded_at timestamptz, sequence numeric, only_for text, test_run bigint)`;
const PARTNER_EVENTS = `json_to_recordset($1) as n(event_id uuid, partner_id text, type text, rupa_id text, event text, occurred_at timestamptz, recorded_at timestamptz, sequence numeric, data json)`;

/**
 * Whether the notification concerns the consent's partner. One of a report about a test farmer does only if the partner made it, and was not
 * reset since: a report that was under way during a reset belongs to the run before it.
 */
const CONCERNS = `(n.only_for is null or (${c.partner_id} = n.only_for
  and n.test_run = (select ${p.test_run} from read.partner p where ${p.partner_id} = n.only_for)))`;

/**
 * Selects a delivery per event and endpoint of each partner that had a consent when the event was recorded. `offset 0` fixes the join order:
 * the consents of the farmer first, then the endpoints of those partners; otherwise the planner may join every endpoint with every event.
 */
const DELIVERIES_TO_CONSENTED = `select n.event_id, ${e.endpoint_id}, ${e.partner_id}, n.type, n.rupa_id, n.event, n.contribution_id, n.occurred_at, n.recorded_at, n.sequence + ${OFFSET} as sequence, null as data
  from ${FARMER_EVENTS}
  join read.consent_roster c on ${c.rupa_id} = n.rupa_id and ${c.granted_position} <= n.sequence and ${CONCERNS}
  cross join lateral (
    select ${e.endpoint_id}, ${e.partner_id} from read.webhook_endpoint e
    where ${e.partner_id} = ${c.partner_id} and ${e.status} = 'enabled' and ${e.enabled_position} <= n.sequence and (${e.events} ? '*' or ${e.events} ? n.type) offset 0) e
  order by n.sequence, ${e.endpoint_id}`;

/** Selects a delivery per event of a partner and endpoint of that partner which subscribes to it. */
const DELIVERIES_TO_PARTNER = `select n.event_id, ${e.endpoint_id}, ${e.partner_id}, n.type, n.rupa_id, n.event, null::bigint as contribution_id, n.occurred_at, n.recorded_at, n.sequence + ${OFFSET} as sequence, n.data
  from ${PARTNER_EVENTS}
  join read.webhook_endpoint e on ${e.partner_id} = n.partner_id and ${e.status} = 'enabled' and ${e.enabled_position} <= n.sequence and ${subscribesTo('n')}
  order by n.sequence, ${e.endpoint_id}`;

/** Selects the events that a partner may read: a consent that is granted later does not show the events before it. */
const LISTED_FOR_CONSENTED = `select n.sequence + ${OFFSET} as sequence, n.sequence as position, n.event_id, n.only_for as partner_id, n.type, n.rupa_id, n.event, n.contribution_id, n.occurred_at, n.recorded_at, null as data
  from ${FARMER_EVENTS}
  where exists (select from read.consent_roster c where ${c.rupa_id} = n.rupa_id and ${c.granted_position} <= n.sequence and ${CONCERNS})`;

const LISTED_FOR_PARTNER = `select n.sequence + ${OFFSET} as sequence, n.sequence as position, n.event_id, n.partner_id, n.type, n.rupa_id, n.event, null::bigint as contribution_id, n.occurred_at, n.recorded_at, n.data
  from ${PARTNER_EVENTS}`;

/** Selects each erasure once, for the partners that {@link TOLD_OF_ERASURES} selects. */
const LISTED_ERASURES = `select distinct n.sequence + ${OFFSET} as sequence, n.sequence as position, n.event_id, null as partner_id, n.type, n.rupa_id, null as event, null::bigint as contribution_id, null::timestamptz as occurred_at, n.recorded_at, null as data
  from ${PARTNER_EVENTS}`;

/** Selects the partners that `ops.notification_recipient` names for an erasure: no consent of the moment says who held one. */
const TOLD_OF_ERASURES = `select distinct n.partner_id, n.sequence + ${OFFSET} as sequence from ${PARTNER_EVENTS}`;

/** The notifications of a batch of events, by how their recipients are found. */
export interface Notifications {
  readonly ofFarmers: readonly Notification[];
  readonly ofPartners: readonly PartnerNotification[];
  readonly ofErasures: readonly ErasureNotice[];
}

/**
 * Inserts the deliveries of notifications and adds the notifications to the list of events, each row with its MAC. Call it in the transaction that moves the
 * subscriber's checkpoint, so that each is inserted once. Returns how many deliveries it inserted.
 */
export async function writeNotifications(
  client: PoolClient,
  macs: RowMacs,
  { ofFarmers, ofPartners, ofErasures }: Notifications,
): Promise<number> {
  const notices = ofErasures.map(storable);
  const erased = notices.map(({ rupa_id }) => rupa_id);
  const holders = await consentHolders(client, erased);
  const [farmers, partners, erasures] = [ofFarmers.map(storable), ofPartners.map(storable), noticesTo(holders, notices)].map(storableJson);
  const select = async <R extends object>(statement: string, rows: string | undefined): Promise<R[]> =>
    rows === undefined || rows === '[]' ? [] : (await client.query<R>(statement, [rows])).rows;
  const delivered = await insertDeliveries(client, macs, [
    ...(await select<DeliveryContent>(DELIVERIES_TO_CONSENTED, farmers)),
    ...(await select<DeliveryContent>(DELIVERIES_TO_PARTNER, partners)),
    ...(await select<DeliveryContent>(DELIVERIES_TO_PARTNER, erasures)),
  ]);
  if (delivered.length > 0) await notify(client, DELIVERIES_CHANNEL);
  const listed = await insertNotifications(client, macs, [
    ...(await select<NotificationContent>(LISTED_FOR_CONSENTED, farmers)),
    ...(await select<NotificationContent>(LISTED_FOR_PARTNER, partners)),
    ...(await select<NotificationContent>(LISTED_ERASURES, erasures)),
  ]);
  await insertRecipients(client, macs, await select<RecipientContent>(TOLD_OF_ERASURES, erasures));
  if (listed > 0) await notify(client, NOTIFICATIONS_CHANNEL);
  return delivered.length;
}

/** Read models hold the ids in this form, too, because they are indexed. */
function storable<T extends { readonly rupa_id: string | null; readonly partner_id?: string }>(notification: T): T {
  const { rupa_id, partner_id } = notification;
  return {
    ...notification,
    ...(rupa_id === null ? {} : { rupa_id: indexableText(rupa_id) }),
    ...(partner_id === undefined ? {} : { partner_id: indexableText(partner_id) }),
  };
}

async function notify(client: PoolClient, channel: string): Promise<void> {
  await client.query('select pg_notify($1, $2)', [channel, '']);
}

/** PostgreSQL notification channel that wakes senders when a delivery is due now. */
export const DELIVERIES_CHANNEL = 'rupa_deliveries';
/** PostgreSQL notification channel that wakes the callers who wait for events. */
export const NOTIFICATIONS_CHANNEL = 'rupa_notifications';
