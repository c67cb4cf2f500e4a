import { type RefusalAnswers } from '../../http/error-answers.js';
import { type PartnerRefusalCode } from './domain/refusals.js';

/** Interface 7, to the letter, and admin.md. */
export const partnerRefusalAnswers: RefusalAnswers<PartnerRefusalCode> = {
  partner_unknown: { status: 404, message: 'No partner found for that id.' },
};
