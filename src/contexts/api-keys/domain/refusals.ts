import { Refusal } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type ApiKeyRefusalCode = 'api_key_unknown';
export const ApiKeyRefusal = Refusal<ApiKeyRefusalCode>;
