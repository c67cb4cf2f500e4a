import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { Responds, Operation, AdminApi } from '../../http/openapi/operation.js';
import { GetProjections } from './get-projections.query.js';
import { ProjectionList } from './projections.dto.js';

const STATUS_MEANING =
  'A faulted projection is stopped at the event that it could not apply, and the others continue. A projection that is being rebuilt serves its old rows until the rebuild has finished.';

@Controller('admin/v1/projections')
@AdminApi('Read models')
export class ProjectionsAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Operation('listProjections', 'List every read model with its position in the log, lag and status', STATUS_MEANING)
  @Responds(ProjectionList)
  async list(): Promise<Success<ProjectionList>> {
    return success({ projections: await this.queries.execute(new GetProjections()) });
  }
}
