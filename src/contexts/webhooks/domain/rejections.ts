import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type WebhookRejectionCode = 'webhook_unknown' | 'delivery_unknown' | 'webhook_disabled' | 'recovery_unfinished';
export class WebhookRejection extends Rejection<WebhookRejectionCode> {}
