import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type ConsentRejectionCode = 'consent_unknown';
export class ConsentRejection extends Rejection<ConsentRejectionCode> {}
