import { Controller, Get, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiKeyGuard } from '../../http/api-key.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { Caller, type PartnerContext } from '../../http/partner-context.js';
import { type Compliance, GetCompliance, MANDATORY_SECTIONS } from '../partners/public.js';
import { GetWalletBalance } from '../wallet/public.js';
import { toNaira } from '../../kernel/money.js';
import { REPORTABLE_ACTIVITIES } from '../../kernel/activities.js';

/** Interface 2.2 and 4.3. */
interface PartnerAccount {
  readonly company_name: string;
  readonly account_type: string;
  readonly status: string;
  readonly mode: string;
  readonly allowed_sections: readonly string[];
  readonly mandatory_sections: readonly string[];
  readonly contribution_events: readonly string[];
  /** NGN, exact at the moment of the answer. */
  readonly wallet_balance: number;
  readonly compliance: Compliance;
}

@Controller('v1/rupa/me')
@UseGuards(ApiKeyGuard)
export class MeController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
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
