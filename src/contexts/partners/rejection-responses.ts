import { type RejectionResponses } from '../../http/error-responses.js';
import { type PartnerRejectionCode } from './domain/rejections.js';

/** Statuses and messages as the specification fixes them (interface, section 7; admin.md). */
export const partnerRejectionResponses: RejectionResponses<PartnerRejectionCode> = {
  partner_unknown: { status: 404, message: 'No partner found for that id.' },
};
