import { type RefusalAnswers } from '../../http/error-answers.js';
import { type ApiKeyRefusalCode } from './domain/refusals.js';

/** Interface 7, to the letter, and admin.md. */
export const apiKeyRefusalAnswers: RefusalAnswers<ApiKeyRefusalCode> = {
  api_key_unknown: { status: 404, message: 'No API key found for that id.' },
};
