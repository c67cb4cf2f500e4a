import { type RejectionResponses } from '../../http/errors/error-responses.js';
import { type ApprovalRejectionCode, DAYS_TO_APPROVE } from './domain/approval.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const approvalRejectionResponses: RejectionResponses<ApprovalRejectionCode> = {
  approval_unknown: { code: 'approval_not_found' },
  approval_ended: { code: 'conflict', message: 'That approval has ended. Send the call again to request another one.' },
  approval_differs: {
    code: 'conflict',
    message: 'Another call with that reference waits for approval. Approve or reject it first, or use another reference.',
  },
  approval_rejected: { code: 'conflict', message: 'That call was rejected. Send it again to request another approval.' },
  approval_expired: {
    code: 'conflict',
    message: `Nobody approved that call within ${DAYS_TO_APPROVE} days. Send it again to request another approval.`,
  },
  approval_granted: {
    code: 'conflict',
    message: 'That call was approved, and was executed or is about to be. If it is still pending, approve it again to finish it.',
  },
  approval_obsolete: {
    code: 'conflict',
    message: 'The call would change nothing any more, because what it asks for was done without this approval. Reject it.',
  },
  approver_is_requester: { code: 'same_person' },
  approver_unnamed: { code: 'name_required' },
};
