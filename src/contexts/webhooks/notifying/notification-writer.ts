import { type PoolClient } from 'pg';
import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { type PartnerRow } from '../../../../projections/partner/partner.projection.js';
import { type WebhookEndpointRow } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { consentHolders } from '../../../../projections/wallet-entry/consent-holders.reader.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { indexableText, storableJson } from '../../../platform/database/postgres-text.js';
import { sequenceOffset } from '../../../platform/projecting/checkpoints.js';
import { type ErasureNotice, noticesTo } from '../domain/erasure-notice.js';
import { type Notification, type PartnerNotification } from '../domain/notification.js';
import { subscribesTo } from './notification-conditions.js';

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
 * Inserts a delivery per event and endpoint of each partner that had a consent when the event was recorded. `offset 0` fixes the join order:
 * the consents of the farmer first, then the endpoints of those partners; otherwise the planner may join every endpoint with every event.
 */
const DELIVER_TO_CONSENTED = `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, rupa_id, event, contribution_id, occurred_at, recorded_at, sequence)
  select n.event_id, ${e.endpoint_id}, ${e.partner_id}, n.type, n.rupa_id, n.event, n.contribution_id, n.occurred_at, n.recorded_at, n.sequence + ${OFFSET}
  from ${FARMER_EVENTS}
  join read.consent_roster c on ${c.rupa_id} = n.rupa_id and ${c.granted_position} <= n.sequence and ${CONCERNS}
  cross join lateral (
    select ${e.endpoint_id}, ${e.partner_id} from read.webhook_endpoint e
    where ${e.partner_id} = ${c.partner_id} and ${e.status} = 'enabled' and ${e.enabled_position} <= n.sequence and (${e.events} ? '*' or ${e.events} ? n.type) offset 0) e
  order by n.sequence, ${e.endpoint_id}
  on conflict (event_id, endpoint_id) do nothing`;

/** Inserts a delivery per event of a partner and endpoint of that partner which subscribes to it. */
const DELIVER_TO_PARTNER = `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, rupa_id, event, occurred_at, recorded_at, sequence, data)
  select n.event_id, ${e.endpoint_id}, ${e.partner_id}, n.type, n.rupa_id, n.event, n.occurred_at, n.recorded_at, n.sequence + ${OFFSET}, n.data
  from ${PARTNER_EVENTS}
  join read.webhook_endpoint e on ${e.partner_id} = n.partner_id and ${e.status} = 'enabled' and ${e.enabled_position} <= n.sequence and ${subscribesTo('n')}
  order by n.sequence, ${e.endpoint_id}
  on conflict (event_id, endpoint_id) do nothing`;

/** Lists the events that a partner may read: a consent that is granted later does not show the events before it. */
const LIST_FOR_CONSENTED = `insert into ops.notification (sequence, position, event_id, partner_id, type, rupa_id, event, contribution_id, occurred_at, recorded_at)
  select n.sequence + ${OFFSET}, n.sequence, n.event_id, n.only_for, n.type, n.rupa_id, n.event, n.contribution_id, n.occurred_at, n.recorded_at
  from ${FARMER_EVENTS}
  where exists (select from read.consent_roster c where ${c.rupa_id} = n.rupa_id and ${c.granted_position} <= n.sequence and ${CONCERNS})
  on conflict (sequence) do nothing`;

const LIST_FOR_PARTNER = `insert into ops.notification (sequence, position, event_id, partner_id, type, rupa_id, event, occurred_at, recorded_at, data)
  select n.sequence + ${OFFSET}, n.sequence, n.event_id, n.partner_id, n.type, n.rupa_id, n.event, n.occurred_at, n.recorded_at, n.data
  from ${PARTNER_EVENTS}
  on conflict (sequence) do nothing`;

/** Lists an erasure once, with the partners that may read it: no consent of the moment says who held one. */
const LIST_ERASURES = `with listed as (
    insert into ops.notification (sequence, position, event_id, type, rupa_id, recorded_at)
    select distinct n.sequence + ${OFFSET}, n.sequence, n.event_id, n.type, n.rupa_id, n.recorded_at from ${PARTNER_EVENTS}
    on conflict (sequence) do nothing)
  insert into ops.notification_recipient (partner_id, sequence)
  select n.partner_id, n.sequence + ${OFFSET} from ${PARTNER_EVENTS}
  on conflict do nothing`;

/** The notifications of a batch of events, by how their recipients are found. */
export interface Notifications {
  readonly ofFarmers: readonly Notification[];
  readonly ofPartners: readonly PartnerNotification[];
  readonly ofErasures: readonly ErasureNotice[];
}

/**
 * Inserts the deliveries of notifications and adds the notifications to the list of events. Call it in the transaction that moves the
 * subscriber's checkpoint, so that each is inserted once. Returns how many deliveries it inserted.
 */
export async function writeNotifications(client: PoolClient, { ofFarmers, ofPartners, ofErasures }: Notifications): Promise<number> {
  const notices = ofErasures.map(storable);
  const erased = notices.map(({ rupa_id }) => rupa_id);
  const holders = await consentHolders(client, erased);
  const [farmers, partners, erasures] = [ofFarmers.map(storable), ofPartners.map(storable), noticesTo(holders, notices)].map(storableJson);
  const insert = async (statement: string, rows: string | undefined): Promise<number> =>
    rows === undefined || rows === '[]' ? 0 : ((await client.query(statement, [rows])).rowCount ?? 0);
  const delivered =
    (await insert(DELIVER_TO_CONSENTED, farmers)) +
    (await insert(DELIVER_TO_PARTNER, partners)) +
    (await insert(DELIVER_TO_PARTNER, erasures));
  if (delivered > 0) await notify(client, DELIVERIES_CHANNEL);
  const listed =
    (await insert(LIST_FOR_CONSENTED, farmers)) + (await insert(LIST_FOR_PARTNER, partners)) + (await insert(LIST_ERASURES, erasures));
  if (listed > 0) await notify(client, NOTIFICATIONS_CHANNEL);
  return delivered;
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
