import { type RejectionResponses } from '../../http/error-responses.js';
import { type WebhookRejectionCode } from './domain/rejections.js';

/** The codes of rejections (decisions, "Error codes"). */
export const webhookRejectionResponses: RejectionResponses<WebhookRejectionCode> = {
  webhook_unknown: { code: 'webhook_not_found' },
  delivery_unknown: { code: 'delivery_not_found' },
};
