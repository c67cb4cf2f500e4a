import { Module } from '@nestjs/common';
import { GetProjectionJobHandler, GetProjectionsHandler } from './get-projections.query.js';
import { ProjectionsAdminController } from './projections.admin.controller.js';
import { StartProjectionJobHandler } from './start-projection-job.command.js';

@Module({
  controllers: [ProjectionsAdminController],
  providers: [GetProjectionsHandler, GetProjectionJobHandler, StartProjectionJobHandler],
})
export class RebuildingModule {}
