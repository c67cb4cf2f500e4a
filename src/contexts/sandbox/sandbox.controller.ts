import { Body, Controller, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { Fails } from '../../http/openapi/errors.js';
import { Operation, PartnerApi, Responds } from '../../http/openapi/operation.js';
import { OnlySandboxPartners } from '../../http/partner-authentication.js';
import { Caller, type PartnerContext } from '../../http/partner-context.js';
import { toKobo, toNaira } from '../../kernel/money.js';
import { KeepsResponses, OperationId } from '../idempotency/public.js';
import { CreditWallet } from '../wallet/public.js';
import { CREDIT_CONFLICT, SANDBOX_FORBIDDEN, SandboxCreditDto, SandboxCredited } from './sandbox.dto.js';

/** Calls that only the keys of sandbox accounts may make (decisions, "Sandbox"). */
@Controller('v1/rupa/sandbox')
@PartnerApi('Sandbox')
export class SandboxController {
  constructor(private readonly commands: CommandBus) {}

  @Post('wallet/credits')
  @OnlySandboxPartners
  @Operation('addPlayMoney', 'Add play money to your wallet')
  @Responds(SandboxCredited, { status: 201, headers: ['Idempotent-Replayed'] })
  @Fails(SANDBOX_FORBIDDEN, CREDIT_CONFLICT)
  @KeepsResponses()
  async credit(
    @Caller() { partner_id, key_id }: PartnerContext,
    @OperationId() operationId: string,
    @Body() { amount }: SandboxCreditDto,
  ): Promise<Success<SandboxCredited>> {
    const credit = new CreditWallet(partner_id, toKobo(amount), `sandbox-${operationId}`, `key:${key_id}`);
    const { balance_kobo } = await this.commands.execute(credit);
    return success({ amount, balance: toNaira(balance_kobo) });
  }
}
