import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { Count, EXAMPLE, Nested, Schema, Text, Texts } from '../../../http/openapi/properties.js';
import { Input, WholeNumber } from '../../../http/validating/dto.js';
import { CHECKPOINT_EXAMPLE } from '../checkpoints/checkpoint-responses.dto.js';
import { proofText } from '../domain/tree-proofs.js';
import { type EventProof } from './log-proofs.js';

export class WalletProofQueryDto extends Input {
  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  @ApiProperty({ description: 'Revision of the entry; by default the last one.', example: 0 })
  revision?: number;
}

const SIBLING = 'j0N2xgQzK3oKcZCPvdpHHSdEIKDuI5aHDJcS0sjgTZM=';
const BYTES_HASH = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const PROOF = {
  entry: { revision: 17, hash: EXAMPLE.hash },
  index: 0,
  leaf: `wallet-${EXAMPLE.partner_id}\n17\nWalletCredited\n${EXAMPLE.lookup_id}\n${BYTES_HASH} ${BYTES_HASH}`,
  data: '{"amount_kobo":100}',
  metadata: `{"hash":"${EXAMPLE.hash}"}`,
  tree_size: CHECKPOINT_EXAMPLE.tree_size,
  hashes: [SIBLING],
  note: CHECKPOINT_EXAMPLE.note,
  proof: `c2sp.org/tlog-proof@v1\nindex 0\n${SIBLING}\n\n${CHECKPOINT_EXAMPLE.note}`,
};

@Schema('ProvenEntry')
export class ProvenEntryView {
  @Count() readonly revision: number;
  @Text({ description: 'Hash of the entry in the chain of the wallet: SHA-256, in hex.', pattern: '^[0-9a-f]{64}$' }) readonly hash: string;
}

@Schema('WalletProof', PROOF)
export class WalletProofView {
  @Nested(ProvenEntryView) readonly entry: ProvenEntryView;
  @Count('Number of the event in the log, from 0.') readonly index: number;
  @Text('The leaf: stream, revision, type, event id, and the SHA-256 of data and of metadata, one a line.') readonly leaf: string;
  @Text('The data of the event, exactly as the log has it.') readonly data: string;
  @Text('The metadata of the event, exactly as the log has it.') readonly metadata: string;
  @Count('Number of events that the checkpoint covers.') readonly tree_size: number;
  @Texts(undefined, 'The audit path of RFC 6962, lowest first, in base64.') readonly hashes: readonly string[];
  @Text('The signed note of the checkpoint (https://c2sp.org/tlog-checkpoint): keep it.') readonly note: string;
  @Text('The same proof in the form of https://c2sp.org/tlog-proof.') readonly proof: string;
}

export function walletProofView(proof: EventProof): WalletProofView {
  const { event, index, tree_size, leaf, hashes, checkpoint } = proof;
  const [data, metadata] = [event.data.toString(), event.metadata.toString()];
  return {
    entry: { revision: Number(event.revision), hash: (JSON.parse(metadata) as { hash: string }).hash },
    index,
    leaf,
    data,
    metadata,
    tree_size,
    hashes: hashes.map((hash) => hash.toString('base64')),
    note: checkpoint.note,
    proof: proofText(proof, checkpoint.note),
  };
}
