import { type RejectionResponses } from '../../http/error-responses.js';
import { type WebhookRejectionCode } from './domain/rejections.js';

/** Interface 7, to the letter, and admin.md. */
export const webhookRejectionResponses: RejectionResponses<WebhookRejectionCode> = {
  webhook_unknown: { status: 404, message: 'No webhook endpoint found for that id.' },
  delivery_unknown: { status: 404, message: 'No delivery found for that id.' },
};
