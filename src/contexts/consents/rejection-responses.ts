import { type RejectionResponses } from '../../http/error-responses.js';
import { type ConsentRejectionCode } from './domain/rejections.js';

/** Interface 7, to the letter, and admin.md. */
export const consentRejectionResponses: RejectionResponses<ConsentRejectionCode> = {
  consent_unknown: { status: 404, message: 'No consent record found for that Rupa ID.' },
};
