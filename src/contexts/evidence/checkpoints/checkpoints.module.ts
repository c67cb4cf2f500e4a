import { Module } from '@nestjs/common';
import { PartnersModule } from '../../partners/partners.module.js';
import { CheckpointKeyController } from './checkpoint-key.controller.js';
import { CheckpointKeys } from './checkpoint-keys.js';
import { CheckpointLog } from './checkpoint-log.js';
import { CheckpointMaker } from './checkpoint-maker.js';
import { CheckpointKeyStream, CheckpointLeavesStream, CheckpointStream } from './checkpoint-streams.js';
import { VerifyCheckpointHandler } from './verify-checkpoint.query.js';
import { CheckpointsAdminController } from './checkpoints.admin.controller.js';
import { CheckpointsController } from './checkpoints.controller.js';
import { WalletProofAdminController } from './wallet-proof.admin.controller.js';

/** Signed checkpoints of all wallets, and the proofs that they cover a wallet. The daily one is made by src/app/background. */
@Module({
  imports: [PartnersModule],
  controllers: [CheckpointsAdminController, WalletProofAdminController, CheckpointsController, CheckpointKeyController],
  providers: [
    CheckpointStream,
    CheckpointLeavesStream,
    CheckpointKeyStream,
    CheckpointKeys,
    CheckpointLog,
    CheckpointMaker,
    VerifyCheckpointHandler,
  ],
})
export class CheckpointsModule {}
