import { Controller, Get, Query } from '@nestjs/common';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Operation, PartnerApi, Responds } from '../../../http/openapi/operation.js';
import { CHECKPOINT_NOT_FOUND } from '../checkpoints/checkpoint-responses.dto.js';
import { LogProofs } from './log-proofs.js';
import { WalletProofQueryDto, WalletProofView, walletProofView } from './wallet-proof.dto.js';

/** The proof that a checkpoint covers an entry of the caller's own wallet, and never one of another partner's (decisions, "Your account"). */
@Controller('v1/rupa/wallet/proof')
@PartnerApi('Account')
export class WalletProofController {
  constructor(private readonly proofs: LogProofs) {}

  @Get()
  @Operation('getOwnWalletProof', 'Get the newest signed checkpoint that covers an entry of your wallet, with the proof that it does')
  @Responds(WalletProofView)
  @Fails(CHECKPOINT_NOT_FOUND)
  async show(@Caller() { partner_id }: PartnerContext, @Query() { revision }: WalletProofQueryDto): Promise<Success<WalletProofView>> {
    const proof = await this.proofs.inclusion(`wallet-${partner_id}`, revision === undefined ? undefined : BigInt(revision));
    return success(walletProofView(proof));
  }
}
