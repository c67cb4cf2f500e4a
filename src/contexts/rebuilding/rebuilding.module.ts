import { Module } from '@nestjs/common';
import { GetProjectionJobHandler } from './get-projection-job.query.js';
import { ProjectionsAdminController } from './projections.admin.controller.js';
import { StartProjectionJobHandler } from './start-projection-job.command.js';

@Module({
  controllers: [ProjectionsAdminController],
  providers: [GetProjectionJobHandler, StartProjectionJobHandler],
})
export class RebuildingModule {}
