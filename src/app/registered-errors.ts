import { walletRefusalAnswers } from '../contexts/wallet/refusal-answers.js';
import { partnerRefusalAnswers } from '../contexts/partners/refusal-answers.js';
import { apiKeyRefusalAnswers } from '../contexts/api-keys/refusal-answers.js';
import { farmerRefusalAnswers, destroyedKeyIsErasure } from '../contexts/farmers/refusal-answers.js';
import { consentRefusalAnswers } from '../contexts/consents/refusal-answers.js';
import { webhookRefusalAnswers } from '../contexts/webhooks/refusal-answers.js';
import { ErrorAnswers } from '../http/error-answers.js';

/** Every code that a context may refuse a command with. */
export const errorAnswers = new ErrorAnswers(
  [walletRefusalAnswers, partnerRefusalAnswers, apiKeyRefusalAnswers, farmerRefusalAnswers, consentRefusalAnswers, webhookRefusalAnswers],
  [destroyedKeyIsErasure],
);
