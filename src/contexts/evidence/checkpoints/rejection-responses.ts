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
    message: 'The events that the last checkpoint covers are no longer those of the log. Run rupa ledger verify-checkpoint.',
    data: ({ number, tree_size }) => ({ number, tree_size }),
  },
};
