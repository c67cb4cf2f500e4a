import { MODES, type Mode } from '../../kernel/modes.js';
import { Schema } from '../../http/openapi/example.js';
import { Id, Integer, Nested, OneOf, RupaId, Text, Time } from '../../http/openapi/properties.js';
import { NOTIFICATION_OF_ACTIVITY, NOTIFICATION_TYPES, TEST_TYPE } from './domain/notification-types.js';

export const NOTIFIED_EVENTS = [...Object.keys(NOTIFICATION_OF_ACTIVITY), 'credit_score_changed'];

const ID_FACTS = { description: 'The same at every attempt: keep the ids that you have dealt with.', format: 'uuid' };

/** What happened to a farmer: no amount, no name, no reporter. */
@Schema('WebhookNotificationData')
export class NotificationData {
  @RupaId() readonly rupa_id: string;
  @OneOf(NOTIFIED_EVENTS) readonly event: string;
  @Id({ description: 'The contribution that was reported; null where the event was not a report.', nullable: true })
  readonly contribution_id: number | null;
  @Time() readonly occurred_at: string;
  @Integer({ description: 'Rises with each event of a farmer, so that you can tell what came late.', minimum: 0, format: 'int64' })
  readonly sequence: number;
}

/** The body of every notification but the test (decisions, "Webhooks"). */
@Schema('WebhookNotification')
export class WebhookNotification {
  @Text(ID_FACTS) readonly id: string;
  @OneOf(NOTIFICATION_TYPES) readonly type: string;
  @Time() readonly created_at: string;
  @OneOf(MODES) readonly mode: Mode;
  @Nested(NotificationData) readonly data: NotificationData;
}

@Schema('WebhookTestNotification')
export class TestNotification {
  @Text(ID_FACTS) readonly id: string;
  @OneOf([TEST_TYPE]) readonly type: string;
  @Time() readonly created_at: string;
  @OneOf(MODES) readonly mode: Mode;
  @Text({ type: 'object', description: 'Empty.', maxProperties: 0 }) readonly data: object;
}
