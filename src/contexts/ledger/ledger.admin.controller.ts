import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { GetTrialBalance } from './get-trial-balance.query.js';
import { TrialBalanceQueryDto } from './ledger.dto.js';
import { type TrialBalanceView, trialBalanceView } from './trial-balance-view.js';

@Controller('admin/v1/ledger')
@UseGuards(AdminGuard)
export class LedgerAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get('trial-balance')
  async trialBalance(@Query() { at }: TrialBalanceQueryDto): Promise<Success<TrialBalanceView>> {
    return success(trialBalanceView(await this.queries.execute(new GetTrialBalance(at))));
  }
}
