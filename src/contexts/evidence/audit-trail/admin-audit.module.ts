import { Global, Module } from '@nestjs/common';
import { AdminCallLog } from '../../../http/admin-call-log.js';
import { AdminAuditRecorder } from './admin-audit-recorder.js';
import { AdminAuditStream } from './admin-audit-stream.js';
import { AuditTrailAdminController } from './audit-trail.admin.controller.js';
import { GetAdminAuditHandler } from './get-admin-audit.query.js';
import { ListAdminCallsHandler } from './list-admin-calls.query.js';

/** Global because every call of an administrator is recorded. */
@Global()
@Module({
  controllers: [AuditTrailAdminController],
  providers: [
    AdminAuditStream,
    AdminAuditRecorder,
    { provide: AdminCallLog, useExisting: AdminAuditRecorder },
    GetAdminAuditHandler,
    ListAdminCallsHandler,
  ],
  exports: [AdminCallLog],
})
export class AdminAuditModule {}
