import { ApiParam } from '@nestjs/swagger';
import { rejection } from '../../http/openapi/errors.js';
import { webhookRejectionResponses } from './rejection-responses.js';

const ID = { type: 'integer', minimum: 1 } as const;

export const ENDPOINT_ID = ApiParam({ name: 'id', description: 'Id of the endpoint.', schema: ID, example: 12 });
export const DELIVERY_ID = ApiParam({ name: 'deliveryId', description: 'Id of the delivery.', schema: ID, example: 90210 });

export const WEBHOOK_NOT_FOUND = rejection(
  webhookRejectionResponses.webhook_unknown,
  'WebhookNotFound',
  'Your account has no endpoint, or no delivery, with that id.',
);
