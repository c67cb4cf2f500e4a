import { type ContributionEvent } from '../../contributions/domain/events.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type FarmerEvent } from '../../farmers/domain/events.js';
import { type Mode } from '../../../kernel/modes.js';
import { NOTIFICATION_OF_ACTIVITY, type NotificationType, TEST_TYPE } from './notification-types.js';

/** What partners are told of an event, before it is known whom. Times are ISO 8601, UTC. */
export interface Notification {
  readonly event_id: string;
  readonly type: NotificationType;
  readonly rupa_id: string;
  readonly event: string;
  readonly contribution_id: number | null;
  readonly occurred_at: string;
  readonly recorded_at: string;
  /** Place in $all, decimal: rises with each of a farmer's events. Partners are told a higher one where the log was moved (docs/adr/0011). */
  readonly sequence: string;
}

type FarmersEvent = ContributionEvent | FarmerEvent;
type News = Pick<Notification, 'type' | 'event' | 'contribution_id' | 'occurred_at'>;
type Teller<Event extends FarmersEvent> = (data: Event['data']) => News;

/** What each event about a farmer tells partners; null where it tells nothing (decisions, "Webhooks"). A new event type must be named here. */
const NEWS: { readonly [Type in FarmersEvent['type']]: Teller<Extract<FarmersEvent, { type: Type }>> | null } = {
  ContributionRecorded: ({ event, contribution_id, occurred_at }) => ({
    type: NOTIFICATION_OF_ACTIVITY[event],
    event,
    contribution_id,
    occurred_at,
  }),
  ContributionUpdated: null,
  FarmerRegistered: null,
  FarmerSectionUpdated: null,
  CreditScoreChanged: ({ recorded_at }) => ({
    type: 'farmer.credit_score_changed',
    event: 'credit_score_changed',
    contribution_id: null,
    occurred_at: recorded_at,
  }),
  FarmerErased: null,
};

/** The event types that notify partners. */
export const NOTIFYING_TYPES: ReadonlySet<string> = new Set(Object.entries(NEWS).flatMap(([type, tell]) => (tell ? [type] : [])));

/** undefined for an event that notifies nobody. */
export function notificationOf({ id, type, data, position }: RecordedEvent<FarmersEvent>): Notification | undefined {
  const tell = NEWS[type] as Teller<FarmersEvent> | null;
  if (!tell) return undefined;
  const { rupa_id, recorded_at } = data;
  return { event_id: id, rupa_id, recorded_at, sequence: position.toString(), ...tell(data) };
}

type Body = Omit<Notification, 'type' | 'rupa_id' | 'event' | 'occurred_at' | 'sequence'> & {
  readonly type: string;
  readonly mode: Mode;
  readonly rupa_id: string | null;
  readonly event: string | null;
  readonly occurred_at: string | null;
  readonly sequence: string | null;
};

/** The bytes that are sent, the same at every attempt: no amount, no name, no reporter. */
export function notificationBody({
  event_id,
  type,
  recorded_at,
  mode,
  rupa_id,
  event,
  contribution_id,
  occurred_at,
  sequence,
}: Body): string {
  const head = { id: event_id, type, created_at: recorded_at, mode };
  if (type === TEST_TYPE) return JSON.stringify({ ...head, data: {} });
  const text = JSON.stringify({ ...head, data: { rupa_id, event, contribution_id, occurred_at, sequence: 0 } });
  // A place in the log may be beyond what JavaScript's numbers hold exactly; JSON's are not.
  return text.replace(/"sequence":0\}\}$/, `"sequence":${sequence ?? '0'}}}`);
}
