import { approvalRejectionResponses } from '../contexts/approvals/rejection-responses.js';
import { walletRejectionResponses } from '../contexts/wallet/rejection-responses.js';
import { checkpointRejectionResponses, lostKeyIsRejected } from '../contexts/evidence/checkpoints/rejection-responses.js';
import { apiKeyRejectionResponses, partnerRejectionResponses } from '../contexts/partners/rejection-responses.js';
import { farmerRejectionResponses, destroyedKeyIsErasure } from '../contexts/farmers/rejection-responses.js';
import { consentRejectionResponses } from '../contexts/consents/consents.dto.js';
import { statementRejectionResponses } from '../contexts/accounting/statements/statements.dto.js';
import { periodRejectionResponses } from '../contexts/accounting/closing/periods.dto.js';
import { ledgerRejectionResponses } from '../contexts/accounting/posting/ledger-entries.dto.js';
import { webhookRejectionResponses } from '../contexts/webhooks/rejection-responses.js';
import { ErrorResponses } from '../http/errors/error-responses.js';

/** The responses to the rejection codes of all contexts. */
export const errorResponses = new ErrorResponses(
  [
    walletRejectionResponses,
    partnerRejectionResponses,
    apiKeyRejectionResponses,
    farmerRejectionResponses,
    consentRejectionResponses,
    statementRejectionResponses,
    ledgerRejectionResponses,
    periodRejectionResponses,
    webhookRejectionResponses,
    checkpointRejectionResponses,
    approvalRejectionResponses,
  ],
  [destroyedKeyIsErasure, lostKeyIsRejected],
);
