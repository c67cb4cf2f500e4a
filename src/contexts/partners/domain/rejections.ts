import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type PartnerRejectionCode = 'partner_unknown';
export class PartnerRejection extends Rejection<PartnerRejectionCode> {}
