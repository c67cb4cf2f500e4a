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
    message:
      'The log lacks events that its newest checkpoint covers, or has others in their place, so no checkpoint is signed. Restore the log, or say whose loss it was: rupa events adopt.',
    data: ({ number, tree_size }) => ({ number, tree_size }),
  },
};
