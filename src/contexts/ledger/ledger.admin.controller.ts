import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { INVALID } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../http/openapi/operation.js';
import { GetTrialBalance } from './get-trial-balance.query.js';
import { TrialBalanceQueryDto, TrialBalanceView } from './ledger.dto.js';
import { trialBalanceView } from './trial-balance-view.js';

const DOUBLE_ENTRY =
  'Every movement of every wallet is posted to two accounts or more, its debits equal to its credits. The whole therefore sums to zero; `balanced` says so, and `difference` by how much it does not.';

@Controller('admin/v1/ledger')
@AdminApi('Ledger')
@UseGuards(AdminGuard)
export class LedgerAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get('trial-balance')
  @Operation('getTrialBalance', 'Every account’s debits, credits and balance, in double entry', DOUBLE_ENTRY)
  @Responds(TrialBalanceView)
  @Fails(INVALID)
  async trialBalance(@Query() { at }: TrialBalanceQueryDto): Promise<Success<TrialBalanceView>> {
    return success(trialBalanceView(await this.queries.execute(new GetTrialBalance(at))));
  }
}
