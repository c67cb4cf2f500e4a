import { Module } from '@nestjs/common';
import { FiguresAdminController } from './figures.admin.controller.js';
import { GetFiguresHandler } from './get-figures.query.js';

@Module({ controllers: [FiguresAdminController], providers: [GetFiguresHandler] })
export class FiguresModule {}
