import { Controller, Get, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { type Body } from '../../../http/limiting/large-bodies.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../../http/openapi/operation.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { PathParam } from '../../../http/validating/path-parameters.js';
import { Reads } from '../../../http/route-rules.js';
import { type Month } from '../domain/month.js';
import { GetStatement } from './get-statement.query.js';
import { StatementBodies } from './statement-bodies.js';
import { StatementView } from './statement-responses.dto.js';
import { MONTH, parseMonth, STATEMENT_FORMS, STATEMENT_NOT_FOUND, StatementQueryDto } from './statements.dto.js';

@Controller('v1/rupa/wallet/statements')
@PartnerApi('Account')
@MONTH
export class StatementsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly bodies: StatementBodies,
  ) {}

  /** Shows the caller's own statement (decisions, "Your account"). */
  @Get(':month')
  @Reads({ awaited: ['wallet_entry', 'ledger_period'], recent: ['customer'] })
  @Operation('getOwnStatement', 'Get a month’s statement of your wallet: opening balance, movements and closing balance')
  @Responds(StatementView, { also: STATEMENT_FORMS })
  @Fails(STATEMENT_NOT_FOUND)
  async show(
    @Caller() { partner_id }: PartnerContext,
    @PathParam('month', parseMonth) month: Month,
    @Query() { format }: StatementQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Body> {
    return await this.bodies.body(reply, await this.queries.execute(new GetStatement(partner_id, month)), format ?? 'json');
  }
}
