import { Global, Module } from '@nestjs/common';
import { AdminCallLog } from '../../http/admin-call-log.js';
import { AdminAuditRecorder } from './admin-audit-recorder.js';
import { AdminAuditStream } from './admin-audit-stream.js';
import { GetAdminAuditHandler } from './get-admin-audit.query.js';

/** Global because the guard of every administrator route records calls. */
@Global()
@Module({
  providers: [AdminAuditStream, AdminAuditRecorder, { provide: AdminCallLog, useExisting: AdminAuditRecorder }, GetAdminAuditHandler],
  exports: [AdminCallLog],
})
export class AdminAuditModule {}
