import { type RejectionResponses } from '../../http/error-responses.js';
import { type WebhookRejectionCode } from './domain/rejections.js';

/** Responses to rejections. The first message is given by the specification to the letter (decisions, "Webhooks"). */
export const webhookRejectionResponses: RejectionResponses<WebhookRejectionCode> = {
  webhook_unknown: { status: 404, message: 'No webhook endpoint found for that id.' },
  delivery_unknown: { status: 404, message: 'No delivery found for that id.' },
};
