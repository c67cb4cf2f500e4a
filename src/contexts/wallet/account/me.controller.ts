import { Body, Controller, Get, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../../http/envelope.js';
import { NOT_YET_IN_FORCE } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../../http/openapi/operation.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Reads } from '../../../http/route-rules.js';
import {
  GetCompliance,
  GetLowBalanceThreshold,
  LowBalance,
  LowBalanceDto,
  MANDATORY_SECTIONS,
  SetLowBalanceThreshold,
} from '../../partners/public.js';
import { GetWalletBalance } from '../entries/get-wallet-balance.query.js';
import { toNaira } from '../../../kernel/money.js';
import { REPORTABLE_ACTIVITIES } from '../../../kernel/accounts.js';
import { PartnerAccount } from './account.dto.js';

const SET_ABOVE =
  'It is sent once each time the balance falls through the amount. An amount above the balance takes effect after the balance was above it.';

@Controller('v1/rupa/me')
@PartnerApi('Account')
export class MeController {
  constructor(
    private readonly queries: QueryBus,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Reads({ awaited: ['partner_usage'], whole: ['low_balance_threshold'] })
  @Operation('getAccount', 'Get the caller’s account: the sections it may read, the events it may report, balance and compliance')
  @Responds(PartnerAccount)
  async me(
    @Caller() { partner_id, company_name, account_type, status, mode, allowed_sections }: PartnerContext,
  ): Promise<Success<PartnerAccount>> {
    const compliance = await this.queries.execute(new GetCompliance(partner_id));
    const threshold_kobo = await this.queries.execute(new GetLowBalanceThreshold(partner_id));
    const { balance_kobo } = await this.queries.execute(new GetWalletBalance(partner_id));
    return success({
      company_name,
      account_type,
      status,
      mode,
      allowed_sections,
      mandatory_sections: MANDATORY_SECTIONS[account_type],
      contribution_events: REPORTABLE_ACTIVITIES[account_type],
      wallet_balance: toNaira(balance_kobo),
      low_balance_threshold: threshold_kobo === null ? null : toNaira(threshold_kobo),
      compliance,
    });
  }

  @Put('low-balance')
  @Operation('setLowBalance', 'Set the balance below which account.low_balance is sent to the endpoints that name it', SET_ABOVE)
  @Responds(LowBalance)
  @Fails(NOT_YET_IN_FORCE)
  async setLowBalance(@Caller() { partner_id, key_id }: PartnerContext, @Body() threshold: LowBalanceDto): Promise<Success<LowBalance>> {
    await this.commands.execute(new SetLowBalanceThreshold(partner_id, threshold, `key:${key_id}`));
    return success({ amount: threshold.amount });
  }
}
