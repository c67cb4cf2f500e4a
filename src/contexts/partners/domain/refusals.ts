import { Refusal } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type PartnerRefusalCode = 'partner_unknown';
export const PartnerRefusal = Refusal<PartnerRefusalCode>;
