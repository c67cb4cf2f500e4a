import { Module } from '@nestjs/common';
import { PartnersModule } from '../partners/partners.module.js';
import { GetStatementHandler } from './get-statement.query.js';
import { StatementsAdminController } from './statements.admin.controller.js';

@Module({ imports: [PartnersModule], controllers: [StatementsAdminController], providers: [GetStatementHandler] })
export class StatementsModule {}
