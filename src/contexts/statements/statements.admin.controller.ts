import { Controller, Get, Query, Res } from '@nestjs/common';
import { IdParam, PathParam } from '../../http/path-parameters.js';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { type Body, LargeBodies } from '../../http/large-bodies.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { INVALID } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../http/openapi/operation.js';
import { PARTNER_ID, PARTNER_NOT_FOUND } from '../partners/public.js';
import { type Month, monthOf } from './domain/month.js';
import { GetStatement } from './get-statement.query.js';
import { statementCsv } from './statement-csv.js';
import { STATEMENT_PAGE_HEADERS, statementPage } from './statement-page.js';
import { STATEMENT_CSV, StatementView } from './statement-responses.dto.js';
import { statementView } from './statement-view.js';
import { MONTH, StatementQueryDto } from './statements.dto.js';

const FORMS = { 'text/csv': STATEMENT_CSV, 'text/html': '<!doctype html>…' };

@Controller('admin/v1/partners/:id/wallet/statements')
@AdminApi('Wallets')
@PARTNER_ID
@MONTH
export class StatementsAdminController {
  constructor(
    private readonly queries: QueryBus,
    private readonly bodies: LargeBodies,
  ) {}

  @Get(':month')
  @Operation('getStatement', 'Get a month’s statement of a wallet: opening balance, movements and closing balance')
  @Responds(StatementView, { also: FORMS })
  @Fails(PARTNER_NOT_FOUND, INVALID)
  async show(
    @IdParam() id: string,
    @PathParam('month', parseMonth) month: Month,
    @Query() { format }: StatementQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Body> {
    const found = await this.queries.execute(new GetStatement(id, month));
    switch (format ?? 'json') {
      case 'json':
        return await this.bodies.json<StatementView>(reply, found, statementView(found));
      case 'csv': {
        const body = await this.bodies.text(reply, found, statementCsv(found));
        reply
          .headers({
            'Content-Disposition': `attachment; filename="statement-${found.partner_id}-${month.name}.csv"`,
            'Cache-Control': 'no-store',
          })
          .type('text/csv; charset=utf-8');
        return body;
      }
      case 'html': {
        const body = await this.bodies.text(reply, found, statementPage(found));
        reply.headers(STATEMENT_PAGE_HEADERS).type('text/html; charset=utf-8');
        return body;
      }
    }
  }
}

/** Returns the month of a path parameter. @throws ValidationFailed */
function parseMonth(name: string): Month {
  const month = monthOf(name);
  if (!month) throw new ValidationFailed({ month: ['The month field must be a month such as 2026-03.'] });
  return month;
}
