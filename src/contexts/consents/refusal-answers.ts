import { type RefusalAnswers } from '../../http/error-answers.js';
import { type ConsentRefusalCode } from './domain/refusals.js';

/** Interface 7, to the letter, and admin.md. */
export const consentRefusalAnswers: RefusalAnswers<ConsentRefusalCode> = {
  consent_unknown: { status: 404, message: 'No consent record found for that Rupa ID.' },
};
