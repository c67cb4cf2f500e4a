import { type RejectionResponses, type Translation } from '../../../http/errors/error-responses.js';
import { CheckpointRejection, type CheckpointRejectionCode } from '../domain/make-checkpoint.js';
import { CheckpointKeyLost } from './checkpoint-keys.js';

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
  checkpoint_key_lost: {
    code: 'conflict',
    message:
      'The key store does not hold the key that signs checkpoints, as after a restore. Restore the key store, or run: rupa keys rotate-checkpoint',
  },
};

export const lostKeyIsRejected: Translation = (error) =>
  error instanceof CheckpointKeyLost ? new CheckpointRejection('checkpoint_key_lost') : undefined;
