import { Global, Module } from '@nestjs/common';
import { AdminAudit } from './admin-audit.js';
import { AuditStream } from './admin-audit-stream.js';
import { GetAuditHandler } from './get-admin-audit.query.js';

/** Global for the guard of every administrators' route. */
@Global()
@Module({ providers: [AuditStream, AdminAudit, GetAuditHandler], exports: [AdminAudit] })
export class AuditModule {}
