import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { ChangesNothing } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { INVALID } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../../http/openapi/operation.js';
import { Reads } from '../../../http/route-rules.js';
import { DEFAULT_MODE } from '../../../kernel/accounts.js';
import { GetTrialBalance } from './get-trial-balance.query.js';
import { TrialBalanceQueryDto, TrialBalanceView } from './ledger.dto.js';
import { ReconcileBankText } from '../reconciling/reconcile-bank-text.query.js';
import { bankReconciliationView } from '../reconciling/reconciliation-view.js';
import { DEFAULT_DAYS, ReconcileBankDto, ReconciliationView } from '../reconciling/reconciliation.dto.js';
import { trialBalanceCsv, trialBalanceView } from './trial-balance-view.js';

const DOUBLE_ENTRY =
  'The books of one mode in a period, or up to a moment; live and sandbox money never mix. Each movement of a wallet, and each ledger entry, is posted to two or more accounts, with equal debits and credits. All balances therefore sum to zero: `balanced` is true if they do.';

const TRIAL_BALANCE_CSV = '\uFEFFaccount,kind,opening,debit,credit,closing\r\ncash_received,asset,0.00,50000.00,0.00,50000.00\r\n';

const RECONCILE =
  'Compares payments that the bank lists with the credits of the kind `payment` in all wallets of a mode. Changes nothing, so auditors may send it, too; the audit trail records it.';

@Controller('admin/v1/ledger')
@AdminApi('Ledger')
export class LedgerAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get('trial-balance')
  @Reads({ awaited: ['ledger_day', 'ledger_entry', 'wallet_entry'], recent: ['partner'] })
  @Operation('getTrialBalance', 'Get every account’s debits, credits and balance, in double entry', DOUBLE_ENTRY)
  @Responds(TrialBalanceView, { also: { 'text/csv': TRIAL_BALANCE_CSV } })
  @Fails(INVALID)
  async trialBalance(
    @Query() { mode, format, ...period }: TrialBalanceQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<TrialBalanceView> | string> {
    const found = await this.queries.execute(new GetTrialBalance(mode, period));
    if (format !== 'csv') return success(trialBalanceView(found));
    const name = `trial-balance-${found.mode}-${found.at.slice(0, 10)}.csv`;
    reply.headers({ 'Content-Disposition': `attachment; filename="${name}"`, 'Cache-Control': 'no-store' }).type('text/csv; charset=utf-8');
    return trialBalanceCsv(found);
  }

  @Post('reconciliations')
  @HttpCode(200)
  @ChangesNothing
  @Reads({ awaited: ['wallet_entry'], recent: ['partner'] })
  @Operation('reconcileWithBank', 'Match a bank’s payments with credits', RECONCILE)
  @Responds(ReconciliationView)
  @Fails(INVALID)
  async reconcile(@Body() body: ReconcileBankDto): Promise<Success<ReconciliationView>> {
    const { csv, reference_column: reference, amount_column: amount, date_column: date, from, to } = body;
    // An optional field that is null counts as absent.
    const text = { csv, columns: { reference, amount, date }, mode: body.mode ?? DEFAULT_MODE, days: body.days ?? DEFAULT_DAYS, from, to };
    return success(bankReconciliationView(await this.queries.execute(new ReconcileBankText(text))));
  }
}
