import { Module } from '@nestjs/common';
import { GetProjectionsHandler } from './get-projections.query.js';
import { ProjectionsAdminController } from './projections.admin.controller.js';

@Module({ controllers: [ProjectionsAdminController], providers: [GetProjectionsHandler] })
export class ReadModelsModule {}
