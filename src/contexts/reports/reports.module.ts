import { Module } from '@nestjs/common';
import { IdsModule } from '../../platform/ids/ids.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { FarmersModule } from '../farmers/farmers.module.js';
import { ContributionsController } from './contributions.controller.js';
import { GetContributionsHandler } from './get-contributions.query.js';
import { ReferenceHash } from './reference-hash.js';
import { ReportActivityHandler } from './report-activity.command.js';
import { ReportEvents } from './report-events.js';
import { ReportManyHandler } from './report-many.command.js';
import { ReportRecorder } from './report-recorder.js';
import { ReportController, ReportsController } from './report.controller.js';

@Module({
  imports: [IdempotencyModule, IdsModule, FarmersModule],
  controllers: [ReportController, ReportsController, ContributionsController],
  providers: [ReferenceHash, ReportRecorder, ReportActivityHandler, ReportManyHandler, GetContributionsHandler, ReportEvents],
  exports: [ReportEvents],
})
export class ReportsModule {}
