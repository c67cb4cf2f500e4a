import { type RejectionResponses } from '../../http/error-responses.js';
import { type PartnerRejectionCode } from './domain/partner.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const partnerRejectionResponses: RejectionResponses<PartnerRejectionCode> = {
  partner_unknown: { code: 'partner_not_found' },
};
