import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type SandboxEventTriggered } from './events.js';
import { ERASED_TYPE, eventOfType, LOW_BALANCE_TYPE } from './notification-types.js';
import { lowBalanceData, type PartnerNotification } from './notification.js';

export interface TriggerSandboxEvent {
  readonly notification_id: string;
  readonly partner_id: string;
  readonly notification_type: string;
  readonly rupa_id: string | null;
  readonly threshold_kobo: number | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The threshold that a test names if the partner has none, in integer kobo. */
const DEFAULT_THRESHOLD_KOBO = 5_000_00;

/** Decides the one event of a stream that is named by the notification, so that a command that is repeated triggers nothing again. */
export const sandboxEventDecider: Decider<{ readonly isTriggered: boolean }, TriggerSandboxEvent, SandboxEventTriggered> = {
  initialState: { isTriggered: false },
  decide: ({ at, ...fields }, { isTriggered }) =>
    isTriggered ? [] : [{ type: 'SandboxEventTriggered', data: { ...fields, recorded_at: at } }],
  evolve: () => ({ isTriggered: true }),
};

/** Returns the notification, which is marked as a test. A balance that is low in a test is 0. */
export function triggeredNotification({ id: eventId, data, position }: RecordedEvent<SandboxEventTriggered>): PartnerNotification {
  const { notification_id, partner_id, notification_type: type, recorded_at, threshold_kobo } = data;
  const common = {
    event_id: UUID.test(notification_id) ? notification_id : eventId,
    partner_id,
    type,
    recorded_at,
    sequence: position.toString(),
  };
  if (type === LOW_BALANCE_TYPE)
    return {
      ...common,
      rupa_id: null,
      event: null,
      occurred_at: null,
      data: { ...lowBalanceData(0, threshold_kobo ?? DEFAULT_THRESHOLD_KOBO), test: true },
    };
  if (type === ERASED_TYPE) return { ...common, rupa_id: data.rupa_id, event: null, occurred_at: null, data: { test: true } };
  return { ...common, rupa_id: data.rupa_id, event: eventOfType(type), occurred_at: recorded_at, data: { test: true } };
}

/** One stream per notification that a partner asked for in the sandbox, named by the notification. */
export const SANDBOX_EVENT_STREAMS: StreamKind<{ readonly isTriggered: boolean }, TriggerSandboxEvent, SandboxEventTriggered> = {
  ...SHORT_STREAM,
  category: 'sandbox_event',
  usuallyNew: true,
  decider: sandboxEventDecider,
};
