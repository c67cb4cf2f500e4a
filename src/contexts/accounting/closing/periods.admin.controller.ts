import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { PathParam } from '../../../http/validating/path-parameters.js';
import { BYTE_ORDER_MARK, savedAsCsv } from '../books/report-formats.js';
import { ReportQueryDto } from '../books/report-queries.dto.js';
import { type Month } from '../domain/month.js';
import { ClosePeriod } from './close-period.command.js';
import { parseMonth } from '../statements/statements.dto.js';
import { GetPeriods } from './get-periods.query.js';
import { closedPeriodView, PERIOD_COLUMNS, periodsView } from './period-view.js';
import { ClosedPeriodView, ClosePeriodDto, PERIOD, PERIOD_NOT_CLOSABLE, PERIOD_NOT_FOUND, PeriodsView } from './periods.dto.js';

const CLOSE =
  'From five minutes after the month’s end, once its charges have ended, in the order of the months. The first is that of the books’ first entry, and empty months are closed, too. From then on no ledger entry is dated into the month, so its balances stay as they are. Responds with 201, and with 200 and `created` false to a month that was closed before.';

const PERIODS = 'From the month of the books’ first entry through the present one. CSV has the accounts of no month.';
const PERIODS_CSV = `${BYTE_ORDER_MARK}${PERIOD_COLUMNS.names.join(',')}\r\n2026-03,live,closed,2026-04-01T08:00:00.000Z,admin:amina,1,40817\r\n2026-04,live,open,,,,\r\n`;

/** The months of the books (finance, "Closing a month"). */
@Controller('admin/v1/ledger/periods')
@AdminApi('Ledger')
export class PeriodsAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Reads({ awaited: ['ledger_period', 'ledger_day', 'ledger_entry', 'partner'] })
  @Operation('listPeriods', 'List the months of the books, and what each was closed with', PERIODS)
  @Responds(PeriodsView, { also: { 'text/csv': PERIODS_CSV } })
  async list(
    @Query() { mode, format }: ReportQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<PeriodsView> | string> {
    const found = await this.queries.execute(new GetPeriods(mode));
    if (format !== 'csv') return success(periodsView(found));
    savedAsCsv(reply, `periods-${found.mode}`);
    return PERIOD_COLUMNS.csv(found.periods);
  }

  @Post(':month/close')
  @HttpCode(201)
  @PERIOD
  @Reads({ awaited: ['ledger_day', 'ledger_entry', 'wallet_entry', 'open_charge', 'partner'] })
  @Operation('closePeriod', 'Close a month of the books, once', CLOSE)
  @Responds(ClosedPeriodView, { status: 201 })
  @Responds(ClosedPeriodView)
  @Fails(PERIOD_NOT_FOUND, PERIOD_NOT_CLOSABLE)
  async close(
    @PathParam('month', parseMonth) month: Month,
    @Body() { mode }: ClosePeriodDto,
    @Actor() actor: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<ClosedPeriodView>> {
    const result = await this.commands.execute(new ClosePeriod(month, mode ?? undefined, actor));
    if (!result.created) reply.status(200);
    return success(closedPeriodView(result));
  }
}
