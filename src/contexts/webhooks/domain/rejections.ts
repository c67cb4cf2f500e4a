import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** The codes are part of the API and must not change. */
export type WebhookRejectionCode = 'webhook_unknown' | 'delivery_unknown';
export const WebhookRejection = Rejection<WebhookRejectionCode>;
