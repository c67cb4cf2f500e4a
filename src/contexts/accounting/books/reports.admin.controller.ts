import { Controller, Get, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { success, type Success } from '../../../http/envelope.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { type Body, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { GetJournal } from './get-journal.query.js';
import { journalCsv, JournalQueryDto, journalView, JournalView } from './journal.dto.js';
import { GetPrepaid } from '../prepaid/get-prepaid.query.js';
import { PREPAID_COLUMNS, PrepaidQueryDto, prepaidView, PrepaidView } from '../prepaid/prepaid.dto.js';
import { GetRevenue } from './get-revenue.query.js';
import { revenueColumns, RevenueQueryDto, revenueView, RevenueView } from './revenue.dto.js';
import { BYTE_ORDER_MARK, savedAsCsv } from './report-formats.js';

const PREPAID =
  'The partners with a balance, by customer number. Charges and payouts take the oldest money first, what is given back is as old as the money that its charge took, and a credit counts less what was reversed of it. Ages are whole days.';
const PREPAID_CSV = `${BYTE_ORDER_MARK}${PREPAID_COLUMNS.names.join(',')}\r\n`;

const REVENUE =
  'The service’s own fees, which contain VAT; fees that are passed through to providers are left out. A refund or a compensation is dated by itself, and lowers the revenue of its own period.';
const REVENUE_CSV = `${BYTE_ORDER_MARK}section,lookups,net,vat,gross,refunds\r\nidentity,120,5534.88,415.12,5950.00,50.00\r\n`;

const JOURNAL =
  'One row for each account of an entry, by the entry’s day and then its place in the log; the debits and the credits of an entry are equal. With `by=day` a row has an account’s net movement of a day. The codes of accounts are those of ACCOUNT_CODES.';
const JOURNAL_CSV = `${BYTE_ORDER_MARK}date,entry,account,code,debit,credit,partner,reference,narration\r\n2026-03-02,2026-03-02,cash_received,1200,50000.00,0.00,,,\r\n2026-03-02,2026-03-02,partner_balances,2100,0.00,50000.00,,,\r\n`;

/** Reports over the wallets of a mode (finance, "Reports"). */
@Controller('admin/v1/ledger')
@AdminApi('Ledger')
export class ReportsAdminController {
  constructor(
    private readonly queries: QueryBus,
    private readonly bodies: LargeBodies,
  ) {}

  @Get('revenue')
  @Reads({ awaited: ['ledger_day', 'partner'] })
  @Operation('getRevenue', 'Get the revenue of a period by section, partner, month or day', REVENUE)
  @Responds(RevenueView, { also: { 'text/csv': REVENUE_CSV } })
  async revenue(
    @Query() { mode, format, by, ...period }: RevenueQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<RevenueView> | string> {
    const found = await this.queries.execute(new GetRevenue(mode, period, by));
    if (format !== 'csv') return success(revenueView(found));
    savedAsCsv(reply, `revenue-${found.mode}-${found.to}`);
    return revenueColumns(found.by).csv(found.groups);
  }

  @Get('journal')
  @Reads({ awaited: ['ledger_day', 'ledger_entry', 'wallet_entry', 'partner'] })
  @Operation('getJournal', 'Get the journal of a period, for an accounting program', JOURNAL)
  @Responds(JournalView, { also: { 'text/csv': JOURNAL_CSV } })
  async journal(@Query() { mode, format, by, ...period }: JournalQueryDto, @Res({ passthrough: true }) reply: FastifyReply): Promise<Body> {
    const found = await this.queries.execute(new GetJournal(mode, period, by));
    if (format !== 'csv') return await this.bodies.json<JournalView>(reply, found, journalView(found));
    const body = await this.bodies.text(reply, found, journalCsv(found));
    savedAsCsv(reply, `journal-${found.mode}-${found.to}`);
    return body;
  }

  @Get('prepaid')
  @Reads({ awaited: ['wallet_entry', 'partner', 'customer'] })
  @Operation('getPrepaid', 'Get the partners’ balances by the age of their money', PREPAID)
  @Responds(PrepaidView, { also: { 'text/csv': PREPAID_CSV } })
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
