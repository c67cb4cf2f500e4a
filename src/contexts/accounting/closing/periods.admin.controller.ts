import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { INVALID } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { PathParam } from '../../../http/validating/path-parameters.js';
import { type Month } from '../domain/month.js';
import { ClosePeriod } from './close-period.command.js';
import { closedPeriodView } from './period-view.js';
import { ClosedPeriodView, ClosePeriodDto, parsePeriod, PERIOD, PERIOD_NOT_CLOSABLE, PERIOD_NOT_FOUND } from './periods.dto.js';

const CLOSE =
  'From five minutes after the month’s end, once its charges have ended, in the order of the months. The first is that of the books’ first entry, and empty months are closed, too. From then on no ledger entry is dated into the month, so its balances stay as they are. Responds with 201, and with 200 and `created` false to a month that was closed before.';

/** The months of the books (finance, "Closing a month"). */
@Controller('admin/v1/ledger/periods')
@AdminApi('Ledger')
export class PeriodsAdminController {
  constructor(private readonly commands: CommandBus) {}

  @Post(':period/close')
  @HttpCode(201)
  @PERIOD
  @Reads({ awaited: ['ledger_day', 'ledger_entry', 'wallet_entry', 'open_charge', 'partner'] })
  @Operation('closePeriod', 'Close a month of the books, once', CLOSE)
  @Responds(ClosedPeriodView, { status: 201 })
  @Responds(ClosedPeriodView)
  @Fails(PERIOD_NOT_FOUND, PERIOD_NOT_CLOSABLE, INVALID)
  async close(
    @PathParam('period', parsePeriod) month: Month,
    @Body() { mode }: ClosePeriodDto,
    @Actor() actor: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<ClosedPeriodView>> {
    const result = await this.commands.execute(new ClosePeriod(month, mode ?? undefined, actor));
    if (!result.created) reply.status(200);
    return success(closedPeriodView(result));
  }
}
