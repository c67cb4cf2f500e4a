import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../../http/envelope.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { PER_PAGE } from '../../../http/validating/paging.js';
import { Reads } from '../../../http/route-rules.js';
import { AuditTrail, AuditTrailQueryDto } from './audit-trail.dto.js';
import { ListAdminCalls } from './list-admin-calls.query.js';

const TRAIL =
  'Calls with a valid token, refused ones too, and commands that may change something. The end of a call appears within a second.';

@Controller('admin/v1/audit-trail')
@AdminApi('Audit trail')
export class AuditTrailAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Reads({ awaited: ['admin_call'] })
  @Operation('listAuditTrail', 'List the calls of administrators, auditors and the command line, newest first', TRAIL)
  @Responds(AuditTrail)
  async list(@Query() { limit = PER_PAGE, cursor, ...filter }: AuditTrailQueryDto): Promise<Success<AuditTrail>> {
    return success(await this.queries.execute(new ListAdminCalls(filter, limit, cursor)));
  }
}
