import { Refusal } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type ConsentRefusalCode = 'consent_unknown';
export const ConsentRefusal = Refusal<ConsentRefusalCode>;
