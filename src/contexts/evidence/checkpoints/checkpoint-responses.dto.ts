import { Count, Id, ListOf, PathParameter, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { rejection } from '../../../http/openapi/errors.js';
import { NEXT_CURSOR } from '../../../http/validating/paging.js';
import { type Checkpoint } from './checkpoint-log.js';
import { type WitnessCosignature } from '../witnesses/cosignature-table.js';
import { checkpointRejectionResponses } from './rejection-responses.js';

export const CHECKPOINT_NOT_FOUND = rejection(
  checkpointRejectionResponses.checkpoint_unknown,
  'CheckpointNotFound',
  'There is no checkpoint with this number.',
);
export const CHECKPOINT_CONTRADICTED = rejection(
  checkpointRejectionResponses.checkpoint_contradicted,
  'CheckpointContradicted',
  'The events that the last checkpoint covers are no longer those of the log; `data` names the checkpoint. Or, without `data`, another process made a checkpoint at the same time, or the key store lacks the key that signs it.',
  {
    schema: {
      type: 'object',
      required: ['number', 'tree_size'],
      properties: { number: { type: 'integer' }, tree_size: { type: 'integer' } },
    },
    example: { number: 12, tree_size: 48_211 },
    optional: true,
  },
);

const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
export const CHECKPOINT_EXAMPLE = {
  number: 12,
  note: `rupa.example/log\n2\n${ROOT}\n\n— rupa.example/log bcKdLw…\n`,
  tree_size: 2,
  root: ROOT,
  made_at: '2026-03-09T00:00:05.000Z',
  cosignatures: [{ witness: 'amina', signature: '— amina.example/w1 jWbPPw…', at: '2026-03-09T00:00:06.000Z' }],
};

@Schema('CheckpointCosignature', CHECKPOINT_EXAMPLE.cosignatures[0])
export class CheckpointCosignatureView {
  @Text('Name of the witness in the setting WITNESSES.') readonly witness: string;
  @Text('The line that the witness added to the note (https://c2sp.org/tlog-cosignature).') readonly signature: string;
  @Time() readonly at: string;
}

@Schema('Checkpoint', CHECKPOINT_EXAMPLE)
export class CheckpointView {
  @Id() readonly number: number;
  @Text('The signed note (https://c2sp.org/tlog-checkpoint): keep it, it is the proof.') readonly note: string;
  @Count('Number of events of the log that it covers.') readonly tree_size: number;
  @Text('Root of the tree over them (RFC 6962), in base64.') readonly root: string;
  @Time() readonly made_at: string;
  @ListOf(CheckpointCosignatureView) readonly cosignatures: readonly CheckpointCosignatureView[];
}

@Schema('Checkpoints', { checkpoints: [CHECKPOINT_EXAMPLE], next_cursor: null })
export class Checkpoints {
  @ListOf(CheckpointView) readonly checkpoints: readonly CheckpointView[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}

export function checkpointView(
  { number, note, tree_size, root, recorded_at }: Checkpoint,
  cosignatures: readonly WitnessCosignature[] | undefined,
): CheckpointView {
  return { number, note, tree_size, root, made_at: recorded_at, cosignatures: cosignatures ?? [] };
}

export const CHECKPOINT_NUMBER = PathParameter({
  name: 'number',
  description: 'Number of the checkpoint: 1 for the first.',
  schema: { type: 'integer', minimum: 1 },
  example: 1,
});
