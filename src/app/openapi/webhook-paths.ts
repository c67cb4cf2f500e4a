import { NOTIFICATION_TYPES } from '../../contexts/webhooks/domain/notification-types.js';
import { OF_BODIES, type OperationParts, type Part, type Paths, partnerOperation, pathParameter } from './operation.js';
import { count, form, list, nullable, oneOf, ref, type Schema, shape, text, time } from './schema.js';

const EVENTS = [...NOTIFICATION_TYPES, '*'];
const STORE_IT = 'Store the signing secret now: it will not be shown again.';

const id: Schema = { type: 'integer', minimum: 1 };
const url = text('https in live mode; reachable from the public internet.', { maxLength: 2048 });
const name = nullable(text('A label of your own.', { maxLength: 255 }));
const events = { ...list(oneOf(EVENTS), { minItems: 1, description: 'Default: all, as `["*"]`.' }), type: ['array', 'null'] };
const secret = text('Shown this once. `X-Rupa-Signature` is keyed with all of it.', { pattern: '^whsec_' });

/** What answers about webhooks are made of. */
export const webhookSchemas: Readonly<Record<string, Schema>> = {
  WebhookEndpoint: shape({
    id,
    url: text(),
    name: nullable(text()),
    subscribed_events: list(oneOf(EVENTS)),
    status: oneOf(['enabled', 'disabled']),
    disabled_reason: nullable(
      oneOf(['gone', 'failing'], '`gone` after a 410, `failing` after days of failures alone. Any update enables it again.'),
    ),
    created_at: time(),
  }),
  WebhookDelivery: shape({
    id,
    event_id: text('The `id` of the notification, the same at every attempt.', { format: 'uuid' }),
    event: oneOf([...NOTIFICATION_TYPES, 'webhook.test']),
    status: oneOf(
      ['pending', 'delivered', 'failed', 'exhausted', 'cancelled'],
      '`failed` is tried again, `exhausted` is not; `cancelled` was not wanted any more.',
    ),
    attempt: { ...count, description: 'How often it was tried.' },
    response_status: nullable({ type: 'integer' }),
    duration_ms: nullable(count),
    error: nullable(text('Such as `timeout`, `status_500`, `consent_released`.')),
    attempted_at: nullable(time()),
    next_attempt_at: nullable(time()),
  }),
};

const endpointExample = {
  id: 12,
  url: 'https://partner.example/hooks/rupa',
  name: 'main',
  subscribed_events: ['farmer.loan_added', 'farmer.loan_repaid'],
  status: 'enabled',
  disabled_reason: null,
  created_at: '2026-03-01T09:00:00.000Z',
};
const deliveryExample = {
  id: 90210,
  event_id: '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11',
  event: 'farmer.loan_added',
  status: 'failed',
  attempt: 2,
  response_status: 503,
  duration_ms: 241,
  error: 'status_503',
  attempted_at: '2026-03-01T09:00:05.000Z',
  next_attempt_at: '2026-03-01T09:05:02.000Z',
};
const signingSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwHUMGk5N3YxI=';

const endpoint = pathParameter('id', text(), 'The endpoint’s id.');
const delivery = pathParameter('deliveryId', text(), 'The delivery’s id.');

function webhooks(parts: Omit<OperationParts, 'tag' | 'errors'> & { readonly errors?: OperationParts['errors'] }): Part {
  return partnerOperation({ tag: 'Webhooks', errors: ['WebhookNotFound'], parameters: [endpoint], ...parts });
}

const theEndpoint = { data: ref('WebhookEndpoint'), example: endpointExample };
const update = (operationId: string): Part =>
  webhooks({
    id: operationId,
    summary: 'Change url, name or events; enables a disabled endpoint',
    body: { schema: form({ url: nullable(url), name, events }), example: { events: ['*'] }, required: false },
    answer: theEndpoint,
    errors: ['WebhookNotFound', 'ValidationError'],
  });

export const webhookPaths: Paths = {
  '/v1/rupa/webhooks': {
    post: webhooks({
      id: 'registerWebhook',
      summary: 'Register an endpoint; its secret is shown once',
      parameters: [],
      body: {
        schema: form({ url, name, events }, ['url']),
        example: { url: endpointExample.url, name: 'main', events: endpointExample.subscribed_events },
      },
      answer: {
        status: 201,
        message: STORE_IT,
        data: shape({ id, url: text(), name: nullable(text()), subscribed_events: list(oneOf(EVENTS)), signing_secret: secret }),
        example: {
          id: 12,
          url: endpointExample.url,
          name: 'main',
          subscribed_events: endpointExample.subscribed_events,
          signing_secret: signingSecret,
        },
      },
      errors: ['ValidationError'],
    }),
    get: webhooks({
      id: 'listWebhooks',
      summary: 'All endpoints, and the events there are',
      parameters: [],
      answer: {
        data: shape({ endpoints: list(ref('WebhookEndpoint')), available_events: list(oneOf(NOTIFICATION_TYPES)) }),
        example: { endpoints: [endpointExample], available_events: NOTIFICATION_TYPES },
      },
      errors: [],
    }),
  },
  '/v1/rupa/webhooks/{id}': {
    get: webhooks({ id: 'getWebhook', summary: 'One endpoint', answer: theEndpoint }),
    put: update('replaceWebhook'),
    patch: update('updateWebhook'),
    delete: webhooks({
      id: 'deleteWebhook',
      summary: 'Delete an endpoint; what waits for it is cancelled',
      answer: { data: shape({ deleted: { type: 'boolean', const: true }, id }), example: { deleted: true, id: 12 } },
      errors: [...OF_BODIES, 'WebhookNotFound'],
    }),
  },
  '/v1/rupa/webhooks/{id}/rotate-secret': {
    post: webhooks({
      id: 'rotateSigningSecret',
      summary: 'A new secret, shown once; the old one signs `webhook-signature` for another day',
      answer: { message: STORE_IT, data: shape({ id, signing_secret: secret }), example: { id: 12, signing_secret: signingSecret } },
      errors: [...OF_BODIES, 'WebhookNotFound'],
    }),
  },
  '/v1/rupa/webhooks/{id}/deliveries': {
    get: webhooks({
      id: 'listDeliveries',
      summary: 'Deliveries with their last attempt, newest first',
      parameters: [
        endpoint,
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, example: 20 },
        { name: 'cursor', in: 'query', description: '`next_cursor` of the page before.', schema: { type: 'string' }, example: 'ZDkwMjEw' },
      ],
      answer: {
        data: shape({
          deliveries: list(ref('WebhookDelivery')),
          next_cursor: nullable(text('For the next, older page; null at the end.')),
        }),
        example: { deliveries: [deliveryExample], next_cursor: null },
      },
      errors: ['WebhookNotFound', 'ValidationError'],
    }),
  },
  '/v1/rupa/webhooks/{id}/test': {
    post: webhooks({
      id: 'testWebhook',
      summary: 'Send a signed `webhook.test`, once',
      answer: {
        message: 'A test is on its way.',
        data: ref('WebhookDelivery'),
        example: {
          ...deliveryExample,
          event: 'webhook.test',
          status: 'pending',
          attempt: 0,
          response_status: null,
          duration_ms: null,
          error: null,
          attempted_at: null,
        },
      },
      errors: [...OF_BODIES, 'WebhookNotFound'],
    }),
  },
  '/v1/rupa/webhooks/{id}/deliveries/{deliveryId}/resend': {
    post: webhooks({
      id: 'resendDelivery',
      summary: 'Send a delivery once more, from the first attempt on',
      parameters: [endpoint, delivery],
      answer: {
        message: 'The delivery is on its way again.',
        data: ref('WebhookDelivery'),
        example: { ...deliveryExample, status: 'pending', attempt: 0 },
      },
      errors: [...OF_BODIES, 'WebhookNotFound'],
    }),
  },
};
