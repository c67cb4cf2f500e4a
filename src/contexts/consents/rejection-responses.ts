import { type RejectionResponses } from '../../http/errors/error-responses.js';
import { type ConsentRejectionCode } from './domain/consent.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const consentRejectionResponses: RejectionResponses<ConsentRejectionCode> = {
  consent_unknown: { code: 'consent_not_found' },
};
