import { Global, Module } from '@nestjs/common';
import { AdminCallLog } from '../../http/authenticating/admin-call-log.js';
import { AdminAuditRecorder } from './audit-trail/admin-audit-recorder.js';
import { AuditTrailAdminController } from './audit-trail/audit-trail.admin.controller.js';
import { GetAdminAuditHandler } from './audit-trail/get-admin-audit.query.js';
import { ListAdminCallsHandler } from './audit-trail/list-admin-calls.query.js';
import { CheckpointKeyController } from './checkpoints/checkpoint-key.controller.js';
import { CheckpointKeys } from './checkpoints/checkpoint-keys.js';
import { CheckpointLog } from './checkpoints/checkpoint-log.js';
import { CheckpointMaker } from './checkpoints/checkpoint-maker.js';
import { CheckpointsAdminController } from './checkpoints/checkpoints.admin.controller.js';
import { CheckpointsController } from './checkpoints/checkpoints.controller.js';
import { VerifyCheckpointHandler } from './checkpoints/verify-checkpoint.query.js';
import { WalletProofAdminController } from './checkpoints/wallet-proof.admin.controller.js';

/**
 * The audit trail of administrators, and signed checkpoints of all wallets with the proofs that they cover a wallet. Global because every
 * call of an administrator is recorded. src/app/background makes the daily checkpoint.
 */
@Global()
@Module({
  controllers: [
    AuditTrailAdminController,
    CheckpointsAdminController,
    WalletProofAdminController,
    CheckpointsController,
    CheckpointKeyController,
  ],
  providers: [
    AdminAuditRecorder,
    { provide: AdminCallLog, useExisting: AdminAuditRecorder },
    GetAdminAuditHandler,
    ListAdminCallsHandler,
    CheckpointKeys,
    CheckpointLog,
    CheckpointMaker,
    VerifyCheckpointHandler,
  ],
  exports: [AdminCallLog],
})
export class EvidenceModule {}
