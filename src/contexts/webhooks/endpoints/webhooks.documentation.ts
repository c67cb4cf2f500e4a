import { PathParameter } from '../../../http/openapi/properties.js';
import { webhookRejectionResponses } from '../rejection-responses.js';
import { type DocumentedError, rejection } from '../../../http/openapi/errors.js';

const ID = { type: 'integer', minimum: 1 } as const;

export const ENDPOINT_ID = PathParameter({ name: 'id', description: 'Id of the endpoint.', schema: ID, example: 12 });
export const DELIVERY_ID = PathParameter({ name: 'deliveryId', description: 'Id of the delivery.', schema: ID, example: 90210 });

export const WEBHOOK_NOT_FOUND: DocumentedError = {
  name: 'WebhookNotFound',
  codes: ['webhook_not_found', 'delivery_not_found'],
  description: 'Your account has no endpoint, or no delivery, with that id.',
};

/** The status 409 of a call is documented once, so this stands above KeepsResponses, which has one of its own. */
export const SENDING_CONFLICT: DocumentedError = {
  name: 'SendingConflict',
  codes: ['conflict', 'idempotency_in_progress'],
  description: 'The endpoint is disabled, or a request with this Idempotency-Key is still running.',
  message: webhookRejectionResponses.webhook_disabled.message ?? '',
};

export const WEBHOOK_DISABLED = rejection(webhookRejectionResponses.webhook_disabled, 'WebhookDisabled', 'The endpoint is disabled.');

export const ANY_WEBHOOK_NOT_FOUND: DocumentedError = {
  name: 'AnyWebhookNotFound',
  codes: ['webhook_not_found', 'delivery_not_found'],
  description: 'No partner has an endpoint, or the endpoint no delivery, with that id.',
};
