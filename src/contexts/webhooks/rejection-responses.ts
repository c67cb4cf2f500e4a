import { type RejectionResponses } from '../../http/errors/error-responses.js';
import { type WebhookRejectionCode } from './domain/webhook.js';

/** The codes of rejections (decisions, "Error codes"). */
export const webhookRejectionResponses: RejectionResponses<WebhookRejectionCode> = {
  webhook_unknown: { code: 'webhook_not_found' },
  delivery_unknown: { code: 'delivery_not_found' },
  webhook_disabled: {
    code: 'conflict',
    message: 'The endpoint is disabled, so nothing can be sent to it. Enable it first, with its call /enable.',
  },
};
