import { type RejectionResponses } from '../../http/error-responses.js';
import { type ConsentRejectionCode } from './domain/rejections.js';

/** Statuses and messages as the specification fixes them (interface, section 7; admin.md). */
export const consentRejectionResponses: RejectionResponses<ConsentRejectionCode> = {
  consent_unknown: { status: 404, message: 'No consent record found for that Rupa ID.' },
};
