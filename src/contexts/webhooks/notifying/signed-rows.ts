import { defineEntity, type EntitySchema } from '@mikro-orm/core';
import { type ClientBase, type Pool } from 'pg';
import { column } from '../../../../projections/columns.js';
import { columnsOf } from '../../../platform/database/schema.js';
import { type CheckedTable } from '../../../platform/projecting/read-table.js';
import { type RowMacs } from '../../../platform/projecting/row-macs.js';
import { type DeliveryRow } from '../delivering/delivery-rows.js';
import { isOfErasure, type NOTIFICATION_COLUMNS, type NotificationRow, type RecipientRow } from './notification-columns.js';

const body = {
  type: column.text(),
  rupa_id: column.text().nullable(),
  event: column.text().nullable(),
  contribution_id: column.integer().nullable(),
  occurred_at: column.time().nullable(),
  recorded_at: column.time(),
  data: column.document<object>().nullable(),
};

/**
 * The columns of `ops.webhook_delivery` that its MAC covers. An event has one delivery to an endpoint, so these two identify it: the MAC of a
 * delivery does not hold for a copy. The other columns change with each attempt, or say when the row was made.
 */
export const deliveryTable: EntitySchema = defineEntity({
  name: 'webhook_delivery',
  tableName: 'webhook_delivery',
  schema: 'ops',
  properties: {
    event_id: column.uuid().primary(),
    endpoint_id: column.integer().primary(),
    partner_id: column.text(),
    sequence: column.position().nullable(),
    ...body,
    mac: column.text(),
  },
});

/**
 * The columns of `ops.notification` that its MAC covers. `position` is cleared when the log is moved, by a command without the master key;
 * AFTER_CONSENT bounds what an edited one could show.
 */
export const notificationTable: EntitySchema = defineEntity({
  name: 'notification',
  tableName: 'notification',
  schema: 'ops',
  properties: {
    sequence: column.position().primary(),
    event_id: column.uuid(),
    partner_id: column.text().nullable(),
    ...body,
    mac: column.text(),
  },
});

/** The columns of `ops.notification_recipient` that its MAC covers. */
const recipientTable: EntitySchema = defineEntity({
  name: 'notification_recipient',
  tableName: 'notification_recipient',
  schema: 'ops',
  properties: { partner_id: column.text().primary(), sequence: column.position().primary(), mac: column.text() },
});

/** The event that a subscriber of the log processed last (notified-event.ts). */
export const notifiedTable: EntitySchema = defineEntity({
  name: 'notified_event',
  tableName: 'notified_event',
  schema: 'ops',
  properties: {
    subscriber: column.text().primary(),
    event_id: column.uuid(),
    stream: column.text(),
    revision: column.integer(),
    mac: column.text(),
  },
});

/** The operational tables whose rows have MACs like those of read models. */
export const WEBHOOK_TABLES: readonly CheckedTable[] = [
  { name: 'notified_event', table: notifiedTable, authenticated: true },
  { name: 'webhook_delivery', table: deliveryTable, authenticated: true },
  { name: 'notification', table: notificationTable, authenticated: true },
  { name: 'notification_recipient', table: recipientTable, authenticated: true },
];

/** The columns of a delivery that its MAC covers. */
export type DeliveryContent = Pick<DeliveryRow, (typeof NOTIFICATION_COLUMNS)[number] | 'endpoint_id' | 'partner_id'>;
/** The columns of a notification that its MAC covers, and the position of its event. */
export type NotificationContent = Pick<NotificationRow, (typeof NOTIFICATION_COLUMNS)[number] | 'partner_id' | 'position'>;

/** The partner that is told of an erasure, and the erasure's notification. */
export type RecipientContent = Pick<RecipientRow, 'partner_id' | 'sequence'>;

/** A row of ops.notified_event: the event that a subscriber of the log processed last. */
export interface NotifiedRow {
  readonly subscriber: string;
  readonly event_id: string;
  /** Empty if PostgreSQL cannot store the stream's name. */
  readonly stream: string;
  readonly revision: number;
  readonly mac: string;
}

/** Returns the columns of a delivery that its MAC needs, as in an SQL statement. */
export function signedDeliveryColumns(alias: string): string {
  return columnsOf(deliveryTable)
    .map(({ name }) => `${alias}.${name}`)
    .join(', ');
}

/**
 * Returns the beginning of an INSERT of the rows in $1, which are JSON.
 * @param columns further columns with their types
 * @param values further columns with the expressions of their values
 */
function insertInto(
  table: EntitySchema,
  columns: Readonly<Record<string, string>> = {},
  values: Readonly<Record<string, string>> = {},
): string {
  const given = columnsOf(table).map(({ name }) => name);
  const types = [...columnsOf(table).map(({ name, type }) => `${name} ${type}`), ...Object.entries(columns).map((each) => each.join(' '))];
  const [names, expressions] = [Object.keys(values), Object.values(values)];
  return `insert into ops.${table.meta.tableName} (${[...given, ...names].join(', ')})
    select ${[...given.map((name) => `r.${name}`), ...expressions].join(', ')} from json_to_recordset($1) as r(${types.join(', ')})`;
}

const DELIVER = `${insertInto(deliveryTable)} on conflict (event_id, endpoint_id) do nothing returning delivery_id`;
/** A row that somebody added for a partner which the log names gets a MAC that holds. */
const NAME = `${insertInto(recipientTable)} on conflict (partner_id, sequence) do update set mac = excluded.mac`;
const NOTE = `${insertInto(notifiedTable)} on conflict (subscriber) do update
  set event_id = excluded.event_id, stream = excluded.stream, revision = excluded.revision, mac = excluded.mac`;
const LIST = `${insertInto(notificationTable, { position: 'numeric(20,0)' }, { position: 'r.position' })} on conflict (sequence) do nothing`;

/** Inserts deliveries that are due now, with their MACs, unless they exist. Returns the ids of those that it inserted. */
export async function insertDeliveries(
  client: ClientBase | Pool,
  macs: RowMacs,
  rows: readonly DeliveryContent[],
): Promise<readonly number[]> {
  if (rows.length === 0) return [];
  const values = [JSON.stringify(macs.authenticate(deliveryTable, rows))];
  return (await client.query<Pick<DeliveryRow, 'delivery_id'>>(DELIVER, values)).rows.map(({ delivery_id }) => delivery_id);
}

/** Adds notifications with their MACs to the list of events, unless they are there. Returns how many it added. */
export async function insertNotifications(client: ClientBase, macs: RowMacs, rows: readonly NotificationContent[]): Promise<number> {
  if (rows.length === 0) return 0;
  return (await client.query(LIST, [JSON.stringify(macs.authenticate(notificationTable, rows))])).rowCount ?? 0;
}

/** Names the partners that are told of erasures, with their MACs. */
export async function insertRecipients(client: ClientBase, macs: RowMacs, rows: readonly RecipientContent[]): Promise<void> {
  if (rows.length > 0) await client.query(NAME, [JSON.stringify(macs.authenticate(recipientTable, rows))]);
}

/** Notes the event that a subscriber has processed. */
export async function noteNotified(client: ClientBase | Pool, macs: RowMacs, row: Omit<NotifiedRow, 'mac'>): Promise<void> {
  await client.query({ name: 'note-notified', text: NOTE, values: [JSON.stringify(macs.authenticate(notifiedTable, [row]))] });
}

/** A notification that was read for a partner, with the MAC of the row that makes the partner its recipient; null if it needs no such row. */
export type ReadNotification = Pick<NotificationRow, 'sequence' | 'type' | 'partner_id' | 'mac'> & {
  readonly recipient_mac: string | null;
};

/** @throws RowForged if this service did not list the notification, or if it is of an erasure that this service did not tell the partner of */
export function assertGenuine(macs: RowMacs, notification: ReadNotification, partner_id: string): void {
  macs.genuine(notificationTable, notification);
  const { sequence, recipient_mac } = notification;
  if (isOfErasure(notification)) macs.genuine(recipientTable, { partner_id, sequence, mac: recipient_mac ?? '' });
}

/** The number of a recovered delivery in the order of the recovery, from 0. */
interface Placed {
  readonly place: number;
}

/** The columns that a recovery writes again: all but the key. */
const SAID = columnsOf(deliveryTable).filter(({ primary }) => !primary);

/**
 * Queues the deliveries in $1 one after another, $2 seconds apart. One that has ended or waits starts again with this content, so a row that
 * somebody edited is mended. One whose attempt is in progress keeps its lease, and the outcome of that attempt decides whether there is
 * another one (DeliveryQueue.record).
 */
const RECOVER = `${insertInto(deliveryTable, { place: 'bigint' }, { recovering: 'true', next_attempt_at: 'now() + r.place * make_interval(secs => $2)' })}
  order by r.place
  on conflict (event_id, endpoint_id) do update set status = 'pending', attempt = 0, next_attempt_at = excluded.next_attempt_at,
    ${SAID.map(({ name }) => `${name} = excluded.${name}`).join(', ')},
    error = null, recovering = true, holder = case when webhook_delivery.leased_until > now() then webhook_delivery.holder end,
    leased_until = case when webhook_delivery.leased_until > now() then webhook_delivery.leased_until end
  where webhook_delivery.status <> 'delivered'`;

/** Queues deliveries of a recovery with their MACs. Returns how many it queued: those that were delivered already stay so. */
export async function queueRecovered(
  client: ClientBase,
  macs: RowMacs,
  rows: readonly (DeliveryContent & Placed)[],
  intervalSeconds: number,
): Promise<number> {
  return (await client.query(RECOVER, [JSON.stringify(macs.authenticate(deliveryTable, rows)), intervalSeconds])).rowCount ?? 0;
}
