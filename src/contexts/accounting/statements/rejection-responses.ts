import { type RejectionResponses } from '../../../http/errors/error-responses.js';
import { type StatementRejectionCode } from '../domain/month.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const statementRejectionResponses: RejectionResponses<StatementRejectionCode> = {
  statement_unknown: { code: 'statement_not_found' },
};
