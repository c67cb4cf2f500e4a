import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { type WebhookEndpointRow } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { notErased } from '../../../../projections/erased-farmer/erased-farmer.reader.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { ERASED_TYPE, NAMED_TYPES } from '../domain/notification-types.js';

/** A row of ops.notification: an event that partners may be told of. */
export interface NotificationRow {
  readonly sequence: string;
  /** Position in $all; null if it is one of an earlier log. */
  readonly position: string | null;
  readonly event_id: string;
  /** The partner that it is for alone; null if it is for every partner with a consent for the farmer. */
  readonly partner_id: string | null;
  readonly type: string;
  readonly rupa_id: string | null;
  readonly event: string | null;
  readonly contribution_id: number | null;
  readonly occurred_at: string | null;
  readonly recorded_at: string;
  readonly data: object | null;
  readonly created_at: string;
  /** Covers the columns of `notificationTable` (signed-rows.ts). */
  readonly mac: string;
}

/** A row of ops.notification_recipient: a partner that is told of an erasure. */
export interface RecipientRow {
  readonly partner_id: string;
  /** That of the notification of the erasure. */
  readonly sequence: string;
  readonly created_at: string;
  /** Covers the columns of `recipientTable` (signed-rows.ts). */
  readonly mac: string;
}

/** The columns that make the body of a notification: those of `ops.notification`, which its deliveries repeat. */
export const NOTIFICATION_COLUMNS = [
  'event_id',
  'type',
  'rupa_id',
  'event',
  'contribution_id',
  'occurred_at',
  'recorded_at',
  'sequence',
  'data',
] as const satisfies readonly (keyof NotificationRow)[];

/** Returns the columns with a table's alias, as in an SQL statement. */
export function notificationColumns(alias: string): string {
  return NOTIFICATION_COLUMNS.map((column) => `${alias}.${column}`).join(', ');
}

const c = columnsOf<ConsentRosterRow>('c');
const e = columnsOf<WebhookEndpointRow>('e');

// Conditions of SQL statements in which `n` is a notification, `e` an endpoint and `c` an entry of the consent roster.

/** Returns the condition that the endpoint subscribes to the type of the notification, or delivery, with this alias. */
export const subscribesTo = (alias: string): string =>
  `(${e.events} ? ${alias}.type or (${e.events} ? '*' and ${alias}.type not in (${NAMED_TYPES.map((type) => `'${type}'`).join(', ')})))`;

/** Whether the notification is that of an erasure, whose recipients `ops.notification_recipient` names. A test has a partner. */
export const OF_ERASURE = `(n.type = '${ERASED_TYPE}' and n.partner_id is null)`;

/** Returns whether {@link OF_ERASURE} holds for a row that was read. */
export function isOfErasure({ type, partner_id }: Pick<NotificationRow, 'type' | 'partner_id'>): boolean {
  return type === ERASED_TYPE && partner_id === null;
}

/** Whether the notification may be listed: of those about an erased farmer, only that of the erasure. */
export const LISTED = `(${OF_ERASURE} or ${notErased('n')})`;

/**
 * Whether the event of a listed notification came after the consent. Positions of an earlier log cannot be compared, so times decide there.
 * No MAC covers the position, so the times must agree with it as far as the times of a log do: an event is dated at most a minute before
 * one that precedes it.
 */
export const AFTER_CONSENT = `case when n.position is null then n.recorded_at >= ${c.granted_at}
  else n.position >= ${c.granted_position} and n.recorded_at >= ${c.granted_at} - interval '1 minute' end`;
