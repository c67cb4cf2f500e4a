import { Module } from '@nestjs/common';
import { PartnersModule } from '../../partners/partners.module.js';
import { GetStatementHandler } from './get-statement.query.js';
import { StatementBodies } from './statement-bodies.js';
import { StatementsController } from './statements.controller.js';
import { StatementsAdminController } from './statements.admin.controller.js';

@Module({
  imports: [PartnersModule],
  controllers: [StatementsController, StatementsAdminController],
  providers: [GetStatementHandler, StatementBodies],
})
export class StatementsModule {}
