import { Refusal } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type WebhookRefusalCode = 'webhook_unknown' | 'delivery_unknown';
export const WebhookRefusal = Refusal<WebhookRefusalCode>;
