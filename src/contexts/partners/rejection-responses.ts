import { type RejectionResponses } from '../../http/error-responses.js';
import { type PartnerRejectionCode } from './domain/rejections.js';

/** Interface 7, to the letter, and admin.md. */
export const partnerRejectionResponses: RejectionResponses<PartnerRejectionCode> = {
  partner_unknown: { status: 404, message: 'No partner found for that id.' },
};
