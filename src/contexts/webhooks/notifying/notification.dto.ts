import { MODES, type Mode } from '../../../kernel/accounts.js';
import { Flag, Id, Integer, Naira, OneOf, RupaId, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { NOTIFICATION_OF_ACTIVITY, SUBSCRIBABLE_TYPES, TEST_TYPE } from '../domain/notification-types.js';

const NOTIFIED_EVENTS = [...Object.keys(NOTIFICATION_OF_ACTIVITY), 'credit_score_changed'];

const ID_SCHEMA = {
  description:
    'Id of the notification, the same at every attempt. Store the ids that you have processed, to recognize a repeated delivery.',
  format: 'uuid',
};

/** Marks the notifications that POST /v1/rupa/sandbox/events makes. */
const TestFlag = (): PropertyDecorator =>
  Flag({ required: false, description: 'True in a notification that POST /v1/rupa/sandbox/events made; missing in others.' });

const Sequence = (): PropertyDecorator =>
  Integer({
    description: 'Rises with each event of a farmer, so that you can recognize notifications that arrive out of order.',
    minimum: 0,
  });

/** The event about the farmer, without amount, name and reporter. */
@Schema('WebhookNotificationData')
export class NotificationData {
  @RupaId() readonly rupa_id: string;
  @OneOf(NOTIFIED_EVENTS) readonly event: string;
  @Id({ description: 'Id of the reported contribution; null if the event is not a report, or a test.', nullable: true })
  readonly contribution_id: number | null;
  @Time() readonly occurred_at: string;
  @Sequence() readonly sequence: number;
  @TestFlag() readonly test?: true;
}

/** The common fields of notifications (decisions, "Webhooks"). The document has a variant with its data for each type. */
@Schema('Notification')
export class Notification {
  @Text(ID_SCHEMA) readonly id: string;
  @OneOf(SUBSCRIBABLE_TYPES) readonly type: string;
  @Time() readonly created_at: string;
  @OneOf(MODES) readonly mode: Mode;
}

@Schema('LowBalanceNotificationData')
export class LowBalanceData {
  @Naira('NGN in the wallet after it fell.') readonly balance: number;
  @Naira('NGN: the threshold that it fell through.') readonly threshold: number;
  @OneOf(['NGN']) readonly currency: 'NGN';
  @TestFlag() readonly test?: true;
}

@Schema('FarmerErasedNotificationData')
export class ErasedData {
  @RupaId('The farmer whose data was erased. Delete what you hold about this farmer.') readonly rupa_id: string;
  @Sequence() readonly sequence: number;
  @TestFlag() readonly test?: true;
}

@Schema('WebhookTestNotification')
export class TestNotification {
  @Text(ID_SCHEMA) readonly id: string;
  @OneOf([TEST_TYPE]) readonly type: string;
  @Time() readonly created_at: string;
  @OneOf(MODES) readonly mode: Mode;
  @Text({ type: 'object', description: 'An empty object.', maxProperties: 0 }) readonly data: object;
}
