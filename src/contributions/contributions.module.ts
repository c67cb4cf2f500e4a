import { Module } from '@nestjs/common';
import { Ids } from '../ids/ids.js';
import { ContributionStream } from './contribution-stream.js';
import { ReferenceHash } from './reference-hash.js';
import { ReportActivityHandler } from './report-activity.command.js';
import { ReportController } from './report.controller.js';

@Module({ controllers: [ReportController], providers: [Ids, ContributionStream, ReferenceHash, ReportActivityHandler] })
export class ContributionsModule {}
