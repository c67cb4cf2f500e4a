import { Global, Module } from '@nestjs/common';
import { AdminCallLog } from '../../http/authenticating/record-admin-calls.js';
import { AdminAuditRecorder } from './audit-trail/admin-audit-recorder.js';
import { AuditTrailAdminController } from './audit-trail/audit-trail.admin.controller.js';
import { GetAdminAuditHandler } from './audit-trail/get-admin-audit.query.js';
import { ListAdminCallsHandler } from './audit-trail/list-admin-calls.query.js';
import { CheckpointKeyController } from './checkpoints/checkpoint-key.controller.js';
import { CheckpointKeys } from './checkpoints/checkpoint-keys.js';
import { CheckpointLog } from './checkpoints/checkpoint-log.js';
import { CheckpointMaker } from './checkpoints/checkpoint-maker.js';
import { KeptNote } from './checkpoints/kept-note.js';
import { CheckpointsAdminController } from './checkpoints/checkpoints.admin.controller.js';
import { VerifyCheckpointHandler } from './checkpoints/verify-checkpoint.query.js';
import { EventsAdminController, LogBrowserAdminController, WitnessesAdminController } from './log-browser/log-browser.admin.controller.js';
import { LogBrowser } from './log-browser/log-browser.js';
import { LogController } from './tree/log.controller.js';
import { LogIndex } from './tree/log-index.js';
import { LogProofs } from './tree/log-proofs.js';
import { WalletProofController } from './tree/wallet-proof.controller.js';
import { WitnessStates } from './witnesses/witness-states.js';
import { Cosignatures } from './witnesses/cosignature-table.js';
import { EvidenceAdminController } from './evidence-file/evidence.admin.controller.js';

/**
 * The audit trail of administrators, the tree of the log, its signed checkpoints, and the proofs that they cover an entry of a wallet. Global
 * because every call of an administrator is recorded. src/app/background keeps the tree and signs the checkpoints that are due.
 */
@Global()
@Module({
  controllers: [
    AuditTrailAdminController,
    EvidenceAdminController,
    CheckpointsAdminController,
    CheckpointKeyController,
    EventsAdminController,
    LogBrowserAdminController,
    WitnessesAdminController,
    LogController,
    WalletProofController,
  ],
  providers: [
    AdminAuditRecorder,
    { provide: AdminCallLog, useExisting: AdminAuditRecorder },
    GetAdminAuditHandler,
    ListAdminCallsHandler,
    CheckpointKeys,
    CheckpointLog,
    CheckpointMaker,
    KeptNote,
    VerifyCheckpointHandler,
    LogBrowser,
    LogIndex,
    LogProofs,
    Cosignatures,
    WitnessStates,
  ],
  exports: [AdminCallLog, LogIndex],
})
export class EvidenceModule {}
