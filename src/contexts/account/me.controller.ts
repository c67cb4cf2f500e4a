import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { Responds, Operation, PartnerApi } from '../../http/openapi/operation.js';
import { Caller, type PartnerContext } from '../../http/partner-context.js';
import { GetCompliance, MANDATORY_SECTIONS } from '../partners/public.js';
import { GetWalletBalance } from '../wallet/public.js';
import { toNaira } from '../../kernel/money.js';
import { REPORTABLE_ACTIVITIES } from '../../kernel/activities.js';
import { PartnerAccount } from './account.dto.js';

@Controller('v1/rupa/me')
@PartnerApi('Account')
export class MeController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Operation('getAccount', 'Get the caller’s account: the sections it may read, the events it may report, balance and compliance')
  @Responds(PartnerAccount)
  async me(
    @Caller() { partner_id, company_name, account_type, status, mode, allowed_sections }: PartnerContext,
  ): Promise<Success<PartnerAccount>> {
    const compliance = await this.queries.execute(new GetCompliance(partner_id));
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
      compliance,
    });
  }
}
