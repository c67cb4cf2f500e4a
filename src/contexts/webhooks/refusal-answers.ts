import { type RefusalAnswers } from '../../http/error-answers.js';
import { type WebhookRefusalCode } from './domain/refusals.js';

/** Interface 7, to the letter, and admin.md. */
export const webhookRefusalAnswers: RefusalAnswers<WebhookRefusalCode> = {
  webhook_unknown: { status: 404, message: 'No webhook endpoint found for that id.' },
  delivery_unknown: { status: 404, message: 'No delivery found for that id.' },
};
