import { type ContributionEvent } from '../../reports/domain/events.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type FarmerEvent } from '../../farmers/domain/events.js';
import { type Mode } from '../../../kernel/accounts.js';
import { toNaira } from '../../../kernel/money.js';
import { ERASED_TYPE, LOW_BALANCE_TYPE, NOTIFICATION_OF_ACTIVITY, type NotificationType, TEST_TYPE } from './notification-types.js';

/** Days for which the list of events keeps an event (decisions, "Events"). */
export const EVENTS_KEPT_DAYS = 30;

/** A notification of an event, before its recipients are known. Times are ISO 8601, UTC. */
export interface Notification {
  readonly event_id: string;
  readonly type: NotificationType;
  readonly rupa_id: string;
  readonly event: string;
  readonly contribution_id: number | null;
  readonly occurred_at: string;
  readonly recorded_at: string;
  /**
   * Position in `$all`, as a decimal number; it rises with each event of a farmer. An offset is added for partners if the log was moved to
   * another store (docs/adr/0011).
   */
  readonly sequence: string;
  /** The account, and its test run, that alone is notified of its report about a test farmer; null of any other farmer. */
  readonly only_for: string | null;
  readonly test_run: number | null;
}

type FarmersEvent = ContributionEvent | FarmerEvent;
type NotificationFields = Pick<Notification, 'type' | 'event' | 'contribution_id' | 'occurred_at'> &
  Partial<Pick<Notification, 'only_for' | 'test_run'>>;
type ToNotification<Event extends FarmersEvent> = (data: Event['data']) => NotificationFields | undefined;

/**
 * Builds the notification of each event type about a farmer for the partners that hold a consent; null for other types (decisions,
 * "Webhooks"). The type makes TypeScript refuse an event type that is missing here.
 */
const TO_NOTIFICATION: { readonly [Type in FarmersEvent['type']]: ToNotification<Extract<FarmersEvent, { type: Type }>> | null } = {
  ContributionRecorded: ({ event, contribution_id, occurred_at, partner_id, test_run }) =>
    Object.hasOwn(NOTIFICATION_OF_ACTIVITY, event)
      ? {
          type: NOTIFICATION_OF_ACTIVITY[event],
          event,
          contribution_id,
          occurred_at,
          ...(test_run !== undefined && { only_for: partner_id, test_run }),
        }
      : undefined,
  ContributionUpdated: null,
  FarmerRegistered: null,
  FarmerSectionUpdated: null,
  CreditScoreChanged: ({ recorded_at }) => ({
    type: 'farmer.credit_score_changed',
    event: 'credit_score_changed',
    contribution_id: null,
    occurred_at: recorded_at,
  }),
  TestFarmerDefined: null,
  // Partners that held a consent before are notified, too (erasure-notice.ts).
  FarmerErased: null,
};

/** The event types that notify partners. */
export const NOTIFYING_TYPES: ReadonlySet<string> = new Set(
  Object.entries(TO_NOTIFICATION).flatMap(([type, toNotification]) => (toNotification ? [type] : [])),
);

/** Returns the notification of an event; undefined if events of its type notify nobody, or if it reports an unknown activity. */
export function notificationOf({ id, type, data, position }: RecordedEvent<FarmersEvent>): Notification | undefined {
  const toNotification = TO_NOTIFICATION[type] as ToNotification<FarmersEvent> | null;
  if (!toNotification) return undefined;
  const fields = toNotification(data);
  if (!fields) return undefined;
  const { rupa_id, recorded_at } = data;
  return { event_id: id, rupa_id, recorded_at, sequence: position.toString(), only_for: null, test_run: null, ...fields };
}

/** The columns of a delivery, or of the list of events, that make a body, with the mode of the recipient. */
export type StoredNotification = Omit<Notification, 'type' | 'rupa_id' | 'event' | 'occurred_at' | 'sequence' | 'only_for' | 'test_run'> & {
  readonly type: string;
  readonly mode: Mode;
  readonly rupa_id: string | null;
  readonly event: string | null;
  readonly occurred_at: string | null;
  readonly sequence: string | null;
  /** `data` of a notification that is not about a farmer, or the fields to add to that of one that is. */
  readonly data?: object | null;
};

/** Returns the body of a notification, as an object that only JSON.stringify may read. It contains no amount, no name and no reporter. */
export function notificationView(notification: StoredNotification): object {
  const { event_id, type, recorded_at, mode } = notification;
  return { id: event_id, type, created_at: recorded_at, mode, data: dataOf(notification) };
}

/** Returns the body to send, the same at every attempt. */
export function notificationBody(notification: StoredNotification): string {
  return JSON.stringify(notificationView(notification));
}

function dataOf({ type, rupa_id, event, contribution_id, occurred_at, sequence, data }: StoredNotification): object {
  if (type === TEST_TYPE) return {};
  if (type === LOW_BALANCE_TYPE) return data ?? {};
  // A position can exceed JavaScript's safe integers; a JSON number has no such limit.
  const place = { sequence: withRawJson.rawJSON(sequence ?? '0'), ...data };
  return type === ERASED_TYPE ? { rupa_id, ...place } : { rupa_id, event, contribution_id, occurred_at, ...place };
}

/** Returns `data` of a notification of a low balance. The amounts are integer kobo. */
export function lowBalanceData(balance_kobo: number, threshold_kobo: number): object {
  return { balance: toNaira(balance_kobo), threshold: toNaira(threshold_kobo), currency: 'NGN' };
}

/** TypeScript does not know yet that JSON.stringify can write a number as its text. */
const withRawJson = JSON as unknown as { rawJSON(text: string): unknown };

/** Deliveries that a transaction of the subscriber should insert at most. A single event and the first events after a start may exceed it. */
export const DELIVERIES_PER_TRANSACTION = 5_000;

/** Returns how many notifying events the next transaction may take: as many as fit by the last one, but at most twice as many as before. */
export function nextPartSize(size: number, last: { readonly notifications: number; readonly deliveries: number }, max: number): number {
  if (last.notifications === 0) return size;
  const fitting = last.deliveries === 0 ? max : Math.floor((last.notifications * DELIVERIES_PER_TRANSACTION) / last.deliveries);
  return Math.max(1, Math.min(fitting, 2 * size, max));
}

/** A notification for one partner, whatever its consents: of its balance, of an erasure, or a test that it asked for. Times are ISO 8601, UTC. */
export interface PartnerNotification {
  readonly event_id: string;
  readonly partner_id: string;
  readonly type: string;
  readonly rupa_id: string | null;
  readonly event: string | null;
  readonly occurred_at: string | null;
  readonly recorded_at: string;
  /** Position in `$all`, as a decimal number. */
  readonly sequence: string;
  /** `data` of the body, or the fields to add to it if the notification is about a farmer; null if there are none. */
  readonly data: object | null;
}
