import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type PartnerRejectionCode = 'partner_unknown';
export const PartnerRejection = Rejection<PartnerRejectionCode>;
