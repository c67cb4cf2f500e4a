import { Module } from '@nestjs/common';
import { GetStatementHandler } from './get-statement.query.js';
import { StatementsAdminController } from './statements.admin.controller.js';

@Module({ controllers: [StatementsAdminController], providers: [GetStatementHandler] })
export class StatementsModule {}
