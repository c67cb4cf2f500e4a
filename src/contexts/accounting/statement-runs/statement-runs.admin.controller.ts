import { Controller, Get, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { type Body } from '../../../http/limiting/large-bodies.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, RespondsText } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { PathParam } from '../../../http/validating/path-parameters.js';
import { PERIOD, PERIOD_NOT_FOUND } from '../closing/periods.dto.js';
import { type Month } from '../domain/month.js';
import { parseMonth } from '../statements/statements.dto.js';
import { GetStatementRun } from './get-statement-run.query.js';
import { PERIOD_OPEN, StatementRunQueryDto } from './statement-runs.dto.js';
import { StatementZips } from './statement-zips.js';

const STATEMENTS =
  'A ZIP with a file for each partner that was registered by the month’s end, named by its statement number, in the order of the customer numbers; and, as the last file, `manifest.json`: each statement’s number, partner, amounts, size and SHA-256, and the sums. It is streamed, so a ZIP that lacks its end was cut off. The same month in the same format has the same bytes. A process sends one at a time, and responds 503 to others meanwhile.';

/** All statements of a month (finance, "Statements and invoices"). */
@Controller('admin/v1/ledger/periods')
@AdminApi('Ledger')
export class StatementRunsAdminController {
  constructor(
    private readonly queries: QueryBus,
    private readonly zips: StatementZips,
  ) {}

  @Get(':month/statements')
  @PERIOD
  @Reads({ awaited: ['ledger_period', 'ledger_day', 'ledger_entry', 'wallet_entry', 'partner', 'customer'] })
  @Operation('getStatements', 'Get the statements of all partners of a closed month, as a ZIP', STATEMENTS)
  @RespondsText(200, 'Success.', { 'application/zip': null })
  @Fails(PERIOD_NOT_FOUND, PERIOD_OPEN)
  async statements(
    @PathParam('month', parseMonth) month: Month,
    @Query() { mode, format }: StatementRunQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Body> {
    return await this.zips.body(reply, await this.queries.execute(new GetStatementRun(month, mode)), format ?? 'json');
  }
}
