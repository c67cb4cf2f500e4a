import { Controller, Get } from '@nestjs/common';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { IdParam, NumberParam } from '../../../http/validating/path-parameters.js';
import { PARTNER_ID, RegisteredPartners } from '../../partners/public.js';
import { CheckpointLog } from './checkpoint-log.js';
import { CHECKPOINT_NUMBER, NumberedProofView, numberedProofView, PROOF_NOT_FOUND } from './checkpoint-responses.dto.js';
import { CheckpointRejection } from '../domain/make-checkpoint.js';

@Controller('admin/v1/partners/:id/wallet/checkpoints')
@AdminApi('Checkpoints')
@PARTNER_ID
@CHECKPOINT_NUMBER
export class WalletProofAdminController {
  constructor(
    private readonly log: CheckpointLog,
    private readonly partners: RegisteredPartners,
  ) {}

  @Get(':number')
  @Operation('getWalletProof', 'Get the proof that a checkpoint covers a wallet’s head')
  @Responds(NumberedProofView)
  @Fails(PROOF_NOT_FOUND)
  async show(@IdParam() id: string, @NumberParam('number') number: number): Promise<Success<NumberedProofView>> {
    await this.partners.assertExists(id);
    const proof = await this.log.proof(await this.log.get(number), id);
    if (!proof) throw new CheckpointRejection('checkpoint_unknown');
    return success(numberedProofView(number, proof));
  }
}
