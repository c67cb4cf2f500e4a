import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { INVALID } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../http/openapi/operation.js';
import { GetTrialBalance } from './get-trial-balance.query.js';
import { TrialBalanceQueryDto, TrialBalanceView } from './ledger.dto.js';
import { trialBalanceView } from './trial-balance-view.js';

const DOUBLE_ENTRY =
  'The books of one mode; live and sandbox money never mix. Each movement of a wallet is posted to two or more accounts, with equal debits and credits. All balances therefore sum to zero: `balanced` is true if they do, and `difference` is the sum.';

@Controller('admin/v1/ledger')
@AdminApi('Ledger')
export class LedgerAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get('trial-balance')
  @Operation('getTrialBalance', 'Get every account’s debits, credits and balance, in double entry', DOUBLE_ENTRY)
  @Responds(TrialBalanceView)
  @Fails(INVALID)
  async trialBalance(@Query() { mode, at }: TrialBalanceQueryDto): Promise<Success<TrialBalanceView>> {
    return success(trialBalanceView(await this.queries.execute(new GetTrialBalance(mode, at))));
  }
}
