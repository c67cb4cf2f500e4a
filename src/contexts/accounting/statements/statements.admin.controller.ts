import { Controller, Get, Query, Res } from '@nestjs/common';
import { IdParam, PathParam } from '../../../http/validating/path-parameters.js';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { type Body } from '../../../http/limiting/large-bodies.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { PARTNER_ID } from '../../partners/public.js';
import { type Month } from '../domain/month.js';
import { GetStatement } from './get-statement.query.js';
import { StatementBodies } from './statement-bodies.js';
import { StatementView } from './statement-responses.dto.js';
import { MONTH, NO_PARTNER_OR_STATEMENT, parseMonth, STATEMENT_FORMS, StatementQueryDto } from './statements.dto.js';

@Controller('admin/v1/partners/:id/wallet/statements')
@AdminApi('Wallets')
@PARTNER_ID
@MONTH
export class StatementsAdminController {
  constructor(
    private readonly queries: QueryBus,
    private readonly bodies: StatementBodies,
  ) {}

  @Get(':month')
  @Reads({ awaited: ['wallet_entry', 'ledger_period'], recent: ['partner', 'customer'] })
  @Operation('getStatement', 'Get a month’s statement of a wallet: opening balance, movements and closing balance')
  @Responds(StatementView, { also: STATEMENT_FORMS })
  @Fails(NO_PARTNER_OR_STATEMENT)
  async show(
    @IdParam() id: string,
    @PathParam('month', parseMonth) month: Month,
    @Query() { format }: StatementQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Body> {
    return await this.bodies.body(reply, await this.queries.execute(new GetStatement(id, month)), format ?? 'json');
  }
}
