import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type ConsentRejectionCode = 'consent_unknown';
export const ConsentRejection = Rejection<ConsentRejectionCode>;
