import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type ApiKeyRejectionCode = 'api_key_unknown';
export const ApiKeyRejection = Rejection<ApiKeyRejectionCode>;
