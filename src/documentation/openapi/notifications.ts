import { getSchemaPath } from '@nestjs/swagger';
import { lowBalanceData, notificationBody } from '../../contexts/webhooks/domain/notification.js';
import {
  ERASED_TYPE,
  eventOfType,
  LOW_BALANCE_TYPE,
  NOTIFICATION_OF_ACTIVITY,
  SUBSCRIBABLE_TYPES,
  TEST_TYPE,
} from '../../contexts/webhooks/domain/notification-types.js';
import {
  ErasedData,
  LowBalanceData,
  Notification,
  NotificationData,
  TestNotification,
} from '../../contexts/webhooks/notifying/notification.dto.js';
import { EXAMPLE } from '../../http/openapi/properties.js';
import { type Operation, type Parameter, type Part, type Paths } from './parts.js';

const EVENT_ID = '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11';
const RECORDED_AT = '2026-03-01T09:00:00.000Z';

const SIGNATURES: readonly Parameter[] = [
  header('X-Rupa-Signature', 'Hex HMAC-SHA256 of the exact bytes of the body, keyed with the whole signing secret.', EXAMPLE.hash),
  header('webhook-id', 'The `id` of the notification, the same at every attempt (Standard Webhooks).', EVENT_ID),
  header('webhook-timestamp', 'When the attempt was signed, in seconds since 1970 (Standard Webhooks).', '1772355600'),
  header(
    'webhook-signature',
    'One `v1,<base64>` for each valid secret, separated by spaces: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks).',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** No call has this tag, so that generated clients have no methods for what the service sends. */
export const NOTIFICATIONS_TAG = 'Notifications';

/** The classes that the operations refer to. */
export const NOTIFICATION_MODELS = [Notification, NotificationData, LowBalanceData, ErasedData, TestNotification];

/** Returns the requests that the service posts to partners' endpoints: one operation per type of notification, and one for the test. */
export function notifications(): Paths {
  const operations = [...SUBSCRIBABLE_TYPES, TEST_TYPE].map((type): [string, Record<string, Operation>] => [
    type,
    { post: operationOf(type) },
  ]);
  return Object.fromEntries(operations);
}

function operationOf(type: string): Operation {
  const event = eventOfType(type);
  return {
    operationId: `on${pascalCase(type)}`,
    tags: [NOTIFICATIONS_TAG],
    summary: summaryOf(type, event),
    security: [],
    parameters: [...SIGNATURES],
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(type), example: exampleOf(type, event) } } },
    responses: {
      '2XX': { description: 'The notification is delivered. The body of the response is ignored.' },
      '410': { description: 'The service disables the endpoint.' },
      default: { description: 'Any other status, a redirect or no response within 15 seconds: the delivery is retried with backoff.' },
    },
  };
}

function summaryOf(type: string, event: string): string {
  if (type === TEST_TYPE) return 'Test notification, requested with POST /v1/rupa/webhooks/{id}/test';
  if (type === LOW_BALANCE_TYPE)
    return 'The balance fell through the threshold of PUT /v1/rupa/me/low-balance; for endpoints that name this event';
  if (type === ERASED_TYPE)
    return 'A farmer for whom you hold or held a consent was erased: delete what you hold about them; for endpoints that name this event';
  return `Notification about a farmer on your roster: ${event.replaceAll('_', ' ')}`;
}

/**
 * Returns the components of the notifications that partners subscribe to. Each type has a component that extends the common one, whose
 * discriminator leads to it: a generator that knows no unions, such as NSwag, makes classes of these, and reads lists of several types.
 */
export function notificationSchemas(schemas: Readonly<Record<string, Part>>): Readonly<Record<string, Part>> {
  const { $ref } = { $ref: getSchemaPath(Notification) };
  const variants = SUBSCRIBABLE_TYPES.map((type): [string, Part] => {
    const data = { $ref: getSchemaPath(dataOf(type)) };
    return [variantOf(type), { allOf: [{ $ref }, { type: 'object', properties: { data }, required: ['data'] }] }];
  });
  const mapping = Object.fromEntries(SUBSCRIBABLE_TYPES.map((type) => [type, getSchemaPath(variantOf(type))]));
  const { Notification: common } = schemas;
  return { ...schemas, Notification: { ...common, discriminator: { propertyName: 'type', mapping } }, ...Object.fromEntries(variants) };
}

function dataOf(type: string): typeof NotificationData | typeof LowBalanceData | typeof ErasedData {
  if (type === LOW_BALANCE_TYPE) return LowBalanceData;
  return type === ERASED_TYPE ? ErasedData : NotificationData;
}

function schemaOf(type: string): Part {
  return { $ref: getSchemaPath(type === TEST_TYPE ? TestNotification : variantOf(type)) };
}

function variantOf(type: string): string {
  return `${pascalCase(type)}Notification`;
}

function pascalCase(type: string): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns an example made by the code that makes the bodies of deliveries. */
function exampleOf(type: string, event: string): unknown {
  const reported = Object.keys(NOTIFICATION_OF_ACTIVITY).includes(event);
  const body = notificationBody({
    event_id: EVENT_ID,
    type,
    recorded_at: RECORDED_AT,
    mode: 'live',
    rupa_id: EXAMPLE.rupa_id,
    event,
    contribution_id: reported ? 4711 : null,
    occurred_at: '2026-03-01T00:00:00.000Z',
    sequence: '10452',
    data: type === LOW_BALANCE_TYPE ? lowBalanceData(4950_00, 5000_00) : null,
  });
  return JSON.parse(body);
}

function header(name: string, description: string, example: string): Parameter {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}
