import { Controller, Get, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { Responds, Operation, AdminApi } from '../../http/openapi/operation.js';
import { GetProjections } from './get-projections.query.js';
import { ProjectionList } from './projections.dto.js';

const HOW_THEY_FARE =
  'A faulted projection stops at the event that its functions could not take, and the others go on. One that is being rebuilt serves its old rows until then.';

@Controller('admin/v1/projections')
@AdminApi('Read models')
@UseGuards(AdminGuard)
export class ProjectionsAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Operation('listProjections', 'Every read model: where it is in the log, and how it fares', HOW_THEY_FARE)
  @Responds(ProjectionList)
  async list(): Promise<Success<ProjectionList>> {
    return success({ projections: await this.queries.execute(new GetProjections()) });
  }
}
