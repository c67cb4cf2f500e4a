import { type RejectionResponses } from '../../../http/errors/error-responses.js';
import { type CheckpointRejectionCode } from '../domain/make-checkpoint.js';

export const checkpointRejectionResponses: RejectionResponses<CheckpointRejectionCode> = {
  checkpoint_unknown: { code: 'checkpoint_not_found' },
  checkpoint_superseded: {
    code: 'conflict',
    message: 'Another process made a checkpoint at the same time. Send the same request again.',
  },
  checkpoint_contradicted: {
    code: 'conflict',
    message: 'A wallet no longer contains the head that the last checkpoint covers. Run rupa ledger verify-checkpoint.',
    data: ({ partner_id, revision, number }) => ({ partner_id, revision, number }),
  },
};
