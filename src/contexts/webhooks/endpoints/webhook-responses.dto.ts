import { Count, EXAMPLE, Flag, Id, Integer, ListOf, OneOf, Schema, Text, Texts, Time } from '../../../http/openapi/properties.js';
import { NEXT_CURSOR } from '../../../http/validating/paging.js';
import { ALL_EVENTS, SUBSCRIBABLE_TYPES, TEST_TYPE } from '../domain/notification-types.js';

export const EVENTS = [...SUBSCRIBABLE_TYPES, ALL_EVENTS];

const ENDPOINT = {
  id: 12,
  url: 'https://partner.example/hooks/rupa',
  name: 'main',
  subscribed_events: ['farmer.loan_added', 'farmer.loan_repaid'],
};
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwHUMGk5N3YxI=';
const SECRET_SCHEMA = {
  description: 'Shown only in this response. `X-Rupa-Signature` is keyed with the whole secret, including its prefix.',
  pattern: '^whsec_',
};

export const ENDPOINT_EXAMPLE = { ...ENDPOINT, status: 'enabled', disabled_reason: null, created_at: '2026-03-01T09:00:00.000Z' };

/** A webhook endpoint (interface, section 2.6), with its state. */
@Schema('WebhookEndpoint', ENDPOINT_EXAMPLE)
export class WebhookEndpoint {
  @Id() readonly id: number;
  @Text() readonly url: string;
  @Text({ nullable: true }) readonly name: string | null;
  @Texts(EVENTS) readonly subscribed_events: readonly string[];
  @OneOf(['enabled', 'disabled']) readonly status: 'enabled' | 'disabled';
  @OneOf(['gone', 'failing', 'operator', 'partner'], {
    description:
      '`gone` after a response with status 410, `failing` after days in which every attempt failed: any update enables the endpoint again, as does `/enable`. `partner` by your call of `/disable`, `operator` by the operator of the service: only `/enable` enables it again.',
    nullable: true,
  })
  readonly disabled_reason: string | null;
  @Time() readonly created_at: string;
}

@Schema('WebhookEndpointList', { endpoints: [ENDPOINT_EXAMPLE], available_events: SUBSCRIBABLE_TYPES })
export class WebhookEndpointList {
  @ListOf(WebhookEndpoint) readonly endpoints: readonly WebhookEndpoint[];
  @Texts(SUBSCRIBABLE_TYPES) readonly available_events: readonly string[];
}

@Schema('RegisteredWebhook', { ...ENDPOINT, signing_secret: SECRET })
export class RegisteredWebhook {
  @Id() readonly id: number;
  @Text() readonly url: string;
  @Text({ nullable: true }) readonly name: string | null;
  @Texts(EVENTS) readonly subscribed_events: readonly string[];
  @Text(SECRET_SCHEMA) readonly signing_secret: string;
}

@Schema('RotatedSecret', { id: ENDPOINT.id, signing_secret: SECRET })
export class RotatedSecret {
  @Id() readonly id: number;
  @Text(SECRET_SCHEMA) readonly signing_secret: string;
}

@Schema('DeletedWebhook', { deleted: true, id: ENDPOINT.id })
export class DeletedWebhook {
  @Flag('Always true.') readonly deleted: true;
  @Id() readonly id: number;
}

/** The body of a notification, as it is in examples. */
export const NOTIFICATION_EXAMPLE = {
  id: '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11',
  type: 'farmer.loan_added',
  created_at: '2026-03-01T09:00:00.000Z',
  mode: 'live',
  data: {
    rupa_id: EXAMPLE.rupa_id,
    event: 'loan_disbursed',
    contribution_id: 4711,
    occurred_at: '2026-03-01T00:00:00.000Z',
    sequence: 10452,
  },
};

const DELIVERY_EXAMPLE = {
  id: 90210,
  created_at: '2026-03-01T09:00:00.000Z',
  event_id: NOTIFICATION_EXAMPLE.id,
  event: NOTIFICATION_EXAMPLE.type,
  status: 'failed',
  attempt: 2,
  response_status: 503,
  duration_ms: 241,
  error: 'status_503',
  attempted_at: '2026-03-01T09:00:05.000Z',
  next_attempt_at: '2026-03-01T09:05:02.000Z',
};

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A delivery with its last attempt (decisions, "Webhooks"). */
@Schema('WebhookDelivery', DELIVERY_EXAMPLE)
export class Delivery {
  @Id() readonly id: number;
  @Time('When the delivery was queued for the first time; to queue it again does not change it.') readonly created_at: string;
  @Text({ description: 'The `id` of the notification, the same at every attempt.', format: 'uuid' }) readonly event_id: string;
  @OneOf([...SUBSCRIBABLE_TYPES, TEST_TYPE]) readonly event: string;
  @OneOf(
    DELIVERY_STATUSES,
    '`failed` will be retried, `exhausted` will not; `cancelled` was not sent, because the endpoint, subscription or consent had ended.',
  )
  readonly status: DeliveryStatus;
  @Count('Number of attempts made so far.') readonly attempt: number;
  @Integer({ nullable: true }) readonly response_status: number | null;
  @Count({ nullable: true }) readonly duration_ms: number | null;
  @Text({
    description: 'Why the last attempt failed or the delivery was cancelled, such as `timeout`, `status_500` or `consent_released`.',
    nullable: true,
  })
  readonly error: string | null;
  @Time({ nullable: true }) readonly attempted_at: string | null;
  @Time({ nullable: true }) readonly next_attempt_at: string | null;
}

@Schema('WebhookDeliveryWithBody', { ...DELIVERY_EXAMPLE, body: JSON.stringify(NOTIFICATION_EXAMPLE) })
export class DeliveryWithBody extends Delivery {
  @Text({
    description:
      'The exact text that was or will be sent, the same at every attempt: `X-Rupa-Signature` is of these bytes. Null if the farmer was erased, unless the event is `farmer.erased`, or if you have released the farmer and your endpoint has not responded to the delivery.',
    nullable: true,
  })
  readonly body: string | null;
}

@Schema('WebhookDeliveryPage', { deliveries: [DELIVERY_EXAMPLE], next_cursor: null })
export class Deliveries {
  @ListOf(Delivery) readonly deliveries: readonly Delivery[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}

@Schema('WebhookRecovery', { queued: 17 })
export class Recovery {
  @Count('Deliveries that were queued, at most ten of which are due each second.') readonly queued: number;
}
