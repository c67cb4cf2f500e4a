import { Controller, Get, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { GetProjections, type ProjectionState } from './get-projections.query.js';

@Controller('admin/v1/projections')
@UseGuards(AdminGuard)
export class ProjectionsAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  async list(): Promise<Success<{ projections: readonly ProjectionState[] }>> {
    return success({ projections: await this.queries.execute(new GetProjections()) });
  }
}
