import { ApiParam } from '@nestjs/swagger';
import { type DocumentedError } from '../../http/openapi/errors.js';

const ID = { type: 'integer', minimum: 1 } as const;

export const ENDPOINT_ID = ApiParam({ name: 'id', description: 'The endpoint’s id.', schema: ID, example: 12 });
export const DELIVERY_ID = ApiParam({ name: 'deliveryId', description: 'The delivery’s id.', schema: ID, example: 90210 });

export const WEBHOOK_NOT_FOUND: DocumentedError = {
  name: 'WebhookNotFound',
  status: 404,
  description: 'The id is not that of an endpoint, or of a delivery, of yours.',
  message: 'No webhook endpoint found for that id.',
};
