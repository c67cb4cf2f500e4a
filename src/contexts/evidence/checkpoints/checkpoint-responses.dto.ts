import { Count, EXAMPLE, Id, ListOf, Nested, OneOf, PathParameter, Schema, Text, Texts, Time } from '../../../http/openapi/properties.js';
import { type DocumentedError, rejection } from '../../../http/openapi/errors.js';
import { NEXT_CURSOR } from '../../../http/validating/paging.js';
import { type Mode, MODES } from '../../../kernel/accounts.js';
import { type Checkpoint, type WalletProof } from './checkpoint-log.js';
import { checkpointRejectionResponses } from './rejection-responses.js';

export const CHECKPOINT_NOT_FOUND = rejection(
  checkpointRejectionResponses.checkpoint_unknown,
  'CheckpointNotFound',
  'There is no checkpoint with this number.',
);
export const PROOF_NOT_FOUND: DocumentedError = {
  name: 'ProofNotFound',
  codes: ['checkpoint_not_found', 'partner_not_found'],
  description: 'There is no such partner or checkpoint, or the wallet had no entries when the checkpoint was made.',
};
export const CHECKPOINT_CONTRADICTED = rejection(
  checkpointRejectionResponses.checkpoint_contradicted,
  'CheckpointContradicted',
  'A wallet no longer contains the head that the last checkpoint covers; `data` names it. Or, without `data`, another process made a checkpoint at the same time.',
  {
    schema: {
      type: 'object',
      required: ['partner_id', 'revision', 'number'],
      properties: { partner_id: { type: 'string' }, revision: { type: 'integer' }, number: { type: 'integer' } },
    },
    example: { partner_id: EXAMPLE.partner_id, revision: 17, number: 12 },
    optional: true,
  },
);

const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
const SIBLING = 'j0N2xgQzK3oKcZCPvdpHHSdEIKDuI5aHDJcS0sjgTZM=';
const CHECKPOINT = {
  number: 12,
  note: `rupa.example/wallets\n2\n${ROOT}\nnumber 12\nmade_at 2026-03-09T00:00:05.000Z\n\n— rupa.example/wallets bcKdLw…\n`,
  tree_size: 2,
  root: ROOT,
  made_at: '2026-03-09T00:00:05.000Z',
};
const PROOF = {
  leaf_index: 0,
  tree_size: 2,
  hashes: [SIBLING],
  leaf: { mode: 'live', partner_id: EXAMPLE.partner_id, revision: 17, hash: EXAMPLE.hash },
};

@Schema('Checkpoint', CHECKPOINT)
export class CheckpointView {
  @Id() readonly number: number;
  @Text('The signed note (https://c2sp.org/tlog-checkpoint): keep it, it is the proof.') readonly note: string;
  @Count('Number of wallets that have entries.') readonly tree_size: number;
  @Text('Root of the tree over their heads (RFC 6962), in base64.') readonly root: string;
  @Time() readonly made_at: string;
}

@Schema('Checkpoints', { checkpoints: [CHECKPOINT], next_cursor: null })
export class Checkpoints {
  @ListOf(CheckpointView) readonly checkpoints: readonly CheckpointView[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}

@Schema('CheckpointLeaf')
export class LeafView {
  @OneOf(MODES) readonly mode: Mode;
  @Text() readonly partner_id: string;
  @Count() readonly revision: number;
  @Text({ description: 'Hash of the entry with that revision: SHA-256, in hex.', pattern: '^[0-9a-f]{64}$' }) readonly hash: string;
}

@Schema('InclusionProof', PROOF)
export class ProofView {
  @Count() readonly leaf_index: number;
  @Count() readonly tree_size: number;
  @Texts(undefined, 'The audit path of RFC 6962, lowest first, in base64.') readonly hashes: readonly string[];
  @Nested(LeafView, 'The head of the wallet when the checkpoint was made.') readonly leaf: LeafView;
}

@Schema('WalletProof', { number: 12, ...PROOF })
export class NumberedProofView extends ProofView {
  @Id('Number of the checkpoint.') readonly number: number;
}

@Schema('CheckpointWithProof', { ...CHECKPOINT, proof: PROOF })
export class CheckpointWithProofView extends CheckpointView {
  @Nested(ProofView, { description: 'Null if the wallet had no entries when the checkpoint was made.', nullable: true })
  readonly proof: ProofView | null;
}

export function checkpointView({ number, note, tree_size, root, recorded_at }: Checkpoint): CheckpointView {
  return { number, note, tree_size, root, made_at: recorded_at };
}

export function checkpointWithProofView(
  { number, note, tree_size, root, recorded_at }: Checkpoint,
  proof: WalletProof | undefined,
): CheckpointWithProofView {
  return { number, note, tree_size, root, made_at: recorded_at, proof: proof ? proofView(proof) : null };
}

export function numberedProofView(number: number, { leaf_index, tree_size, hashes, leaf }: WalletProof): NumberedProofView {
  return { number, leaf_index, tree_size, hashes: hashes.map((hash) => hash.toString('base64')), leaf };
}

function proofView({ leaf_index, tree_size, hashes, leaf }: WalletProof): ProofView {
  return { leaf_index, tree_size, hashes: hashes.map((hash) => hash.toString('base64')), leaf };
}

export const CHECKPOINT_NUMBER = PathParameter({
  name: 'number',
  description: 'Number of the checkpoint: 1 for the first.',
  schema: { type: 'integer', minimum: 1 },
  example: 12,
});
