import { Controller, Get, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { success, type Success } from '../../../http/envelope.js';
import { INVALID } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { GetPrepaid } from './get-prepaid.query.js';
import { PREPAID_COLUMNS, PrepaidQueryDto, prepaidView, PrepaidView } from './prepaid.dto.js';
import { BYTE_ORDER_MARK, savedAsCsv } from './report-formats.js';

const PREPAID =
  'The partners with a balance, by customer number. Charges and payouts take the oldest money first, what is given back is as old as the money that its charge took, and a credit counts less what was reversed of it. Ages are whole days.';
const PREPAID_CSV = `${BYTE_ORDER_MARK}${PREPAID_COLUMNS.names.join(',')}\r\n`;

/** Reports over the wallets of a mode (finance, "Reports"). */
@Controller('admin/v1/ledger')
@AdminApi('Ledger')
export class ReportsAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get('prepaid')
  @Reads({ awaited: ['wallet_entry', 'partner', 'customer'] })
  @Operation('getPrepaid', 'Get the partners’ balances by the age of their money', PREPAID)
  @Responds(PrepaidView, { also: { 'text/csv': PREPAID_CSV } })
  @Fails(INVALID)
  async prepaid(
    @Query() { mode, at, format }: PrepaidQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<PrepaidView> | string> {
    const found = await this.queries.execute(new GetPrepaid(mode, at));
    if (format !== 'csv') return success(prepaidView(found));
    savedAsCsv(reply, `prepaid-${found.mode}-${found.at.slice(0, 10)}`);
    return PREPAID_COLUMNS.csv(found.partners);
  }
}
