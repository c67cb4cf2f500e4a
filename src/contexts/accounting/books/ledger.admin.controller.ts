import { Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { ChangesNothing } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { Responds, Operation, AdminApi } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { type Unread } from '../../../http/validating/json-text.js';
import { SentFile, TakesTable } from '../../../http/validating/request-body.js';
import { type Body as ResponseBody, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { mapped } from '../../../platform/mapped.js';
import { GetTrialBalance } from './get-trial-balance.query.js';
import { TrialBalanceQueryDto, TrialBalanceView } from './ledger.dto.js';
import { ReconcileBankFile } from '../reconciling/reconcile-bank-file.query.js';
import { reconciliationView } from '../reconciling/reconciliation-view.js';
import { ReconcileBankQueryDto, ReconciliationView } from '../reconciling/reconciliation.dto.js';
import { BYTE_ORDER_MARK, savedAsCsv } from './report-formats.js';
import { TRIAL_BALANCE_COLUMNS, trialBalanceView } from './trial-balance-view.js';

const DOUBLE_ENTRY =
  'The books of one mode in a period, or up to a moment; live and sandbox money never mix. Each movement of a wallet, and each ledger entry, is posted to two or more accounts, with equal debits and credits. All balances therefore sum to zero: `balanced` is true if they do.';

const TRIAL_BALANCE_CSV = `${BYTE_ORDER_MARK}account,kind,opening,debit,credit,closing\r\ncash_received,asset,0.00,50000.00,0.00,50000.00\r\n`;

const RECONCILE =
  'Compares the rows of a bank’s file with the payments, payouts and entries of a mode that move cash: references are found inside the narration. The body is the file, CSV or XLSX, up to 8 MiB and 50,000 rows; the query names its columns. Each row stands in one list. The call changes nothing, so auditors may send it, too; the audit trail records it, without the file.';

const BANK_FILE = 'Value Date,Narration,Debit,Credit\n02-Mar-2026,NIP/SAHEL SAVINGS/INV-2031,,"49,950.00"\n02-Mar-2026,STAMP DUTY,50.00,\n';

@Controller('admin/v1/ledger')
@AdminApi('Ledger')
export class LedgerAdminController {
  constructor(
    private readonly queries: QueryBus,
    private readonly bodies: LargeBodies,
  ) {}

  @Get('trial-balance')
  @Reads({ awaited: ['ledger_day', 'ledger_entry', 'wallet_entry'], recent: ['partner'] })
  @Operation('getTrialBalance', 'Get every account’s debits, credits and balance, in double entry', DOUBLE_ENTRY)
  @Responds(TrialBalanceView, { also: { 'text/csv': TRIAL_BALANCE_CSV } })
  async trialBalance(
    @Query() { mode, format, ...period }: TrialBalanceQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<TrialBalanceView> | string> {
    const found = await this.queries.execute(new GetTrialBalance(mode, period));
    if (format !== 'csv') return success(trialBalanceView(found));
    savedAsCsv(reply, `trial-balance-${found.mode}-${found.at.slice(0, 10)}`);
    return TRIAL_BALANCE_COLUMNS.csv(found.accounts);
  }

  @Post('reconciliations')
  @HttpCode(200)
  @ChangesNothing
  @Reads({ awaited: ['wallet_entry', 'ledger_entry'], recent: ['partner'] })
  @Operation('reconcileWithBank', 'Compare a bank’s file with the books', RECONCILE)
  @TakesTable(BANK_FILE)
  @Responds(ReconciliationView)
  async reconcile(
    @Query() parameters: ReconcileBankQueryDto,
    @SentFile() file: Buffer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const found = await this.queries.execute(new ReconcileBankFile(file, parameters));
    return await this.bodies.json(reply, new AsyncDisposableStack(), readSlowly(reconciliationView(found)));
  }
}

/** The lists of a large file take tens of megabytes as JSON, so they are written while the client reads. */
function readSlowly(view: ReconciliationView): Unread<ReconciliationView> {
  const lists = Object.entries(view).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? mapped(value, (item: unknown) => item) : value,
  ]);
  return Object.fromEntries(lists) as Unread<ReconciliationView>;
}
