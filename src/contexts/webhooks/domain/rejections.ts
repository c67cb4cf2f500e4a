import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type WebhookRejectionCode = 'webhook_unknown' | 'delivery_unknown';
export const WebhookRejection = Rejection<WebhookRejectionCode>;
