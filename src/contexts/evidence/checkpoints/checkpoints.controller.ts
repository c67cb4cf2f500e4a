import { Controller, Get } from '@nestjs/common';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Operation, PartnerApi, Responds } from '../../../http/openapi/operation.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { NumberParam } from '../../../http/validating/path-parameters.js';
import { type Checkpoint, CheckpointLog } from './checkpoint-log.js';
import { CHECKPOINT_NOT_FOUND, CHECKPOINT_NUMBER, CheckpointWithProofView, checkpointWithProofView } from './checkpoint-responses.dto.js';
import { CheckpointRejection } from '../domain/make-checkpoint.js';

/** The checkpoints with the caller's own proof, and never another partner's leaf (decisions, "Your account"). */
@Controller('v1/rupa/wallet/checkpoints')
@PartnerApi('Account')
export class CheckpointsController {
  constructor(private readonly log: CheckpointLog) {}

  @Get('latest')
  @Operation('getLatestCheckpoint', 'Get the latest signed checkpoint, with the proof that it covers the caller’s wallet')
  @Responds(CheckpointWithProofView)
  @Fails(CHECKPOINT_NOT_FOUND)
  async latest(@Caller() { partner_id }: PartnerContext): Promise<Success<CheckpointWithProofView>> {
    const checkpoint = await this.log.last();
    if (!checkpoint) throw new CheckpointRejection('checkpoint_unknown');
    return await this.withProof(checkpoint, partner_id);
  }

  @Get(':number')
  @CHECKPOINT_NUMBER
  @Operation('getOwnCheckpoint', 'Get a signed checkpoint, with the proof that it covers the caller’s wallet')
  @Responds(CheckpointWithProofView)
  @Fails(CHECKPOINT_NOT_FOUND)
  async show(@Caller() { partner_id }: PartnerContext, @NumberParam('number') number: number): Promise<Success<CheckpointWithProofView>> {
    return await this.withProof(await this.log.get(number), partner_id);
  }

  private async withProof(checkpoint: Checkpoint, partnerId: string): Promise<Success<CheckpointWithProofView>> {
    return success(checkpointWithProofView(checkpoint, await this.log.proof(checkpoint, partnerId)));
  }
}
