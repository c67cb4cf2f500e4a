import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { CommandBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { NOT_YET_IN_FORCE } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Operation, PartnerApi, Responds } from '../../http/openapi/operation.js';
import { OnlySandboxPartners } from '../../http/authenticating/partner-authentication.js';
import { Caller, type PartnerContext } from '../../http/authenticating/partner-context.js';
import { Reads } from '../../http/route-rules.js';
import { validateBody } from '../../http/validating/validation.js';
import { toNaira } from '../../kernel/money.js';
import { KeepsResponses, KeepsResponsesAboutFarmer, OperationId } from '../idempotency/public.js';
import { ResetSandbox } from '../partners/public.js';
import { CreditDto, CreditWallet } from '../wallet/public.js';
import { FARMER_NOT_FOUND } from '../farmers/public.js';
import { LOW_BALANCE_TYPE, SandboxEventDto, TriggerEvent } from '../webhooks/public.js';
import {
  CREDIT_CONFLICT,
  SANDBOX_FORBIDDEN,
  SandboxCreditDto,
  SandboxCredited,
  SandboxWasReset,
  TriggeredSandboxEvent,
} from './sandbox.dto.js';

const TRIGGER =
  'You get it whether the farmer is on your roster or not, and nobody else does. Its `data` holds `"test": true`. That of `account.low_balance` holds a balance of 0, and your threshold, or 5000 if you have none.';
const RESET =
  'What you reported about test farmers, your consents for them, and the events and deliveries about them are gone from every list and section within seconds, and their references are free. Your wallet, lookups, compliance and endpoints stay. Repeat it as often as you like.';

/** Calls that only the keys of sandbox accounts may make (decisions, "Sandbox"). */
@Controller('v1/rupa/sandbox')
@PartnerApi('Sandbox')
class SandboxController {
  constructor(private readonly commands: CommandBus) {}

  @Post('wallet/credits')
  @OnlySandboxPartners
  @Reads({ awaited: ['wallet_entry'] })
  @Operation('addPlayMoney', 'Add play money to your wallet')
  @Responds(SandboxCredited, { status: 201, headers: ['Idempotent-Replayed'] })
  @Fails(SANDBOX_FORBIDDEN, CREDIT_CONFLICT)
  @KeepsResponses()
  async credit(
    @Caller() { partner_id, key_id }: PartnerContext,
    @OperationId() operationId: string,
    @Body() { amount }: SandboxCreditDto,
  ): Promise<Success<SandboxCredited>> {
    const credit = validateBody(CreditDto, { amount, reference: `sandbox-${operationId}` });
    const { balance_kobo } = await this.commands.execute(new CreditWallet(partner_id, credit, `key:${key_id}`));
    return success({ amount, balance: toNaira(balance_kobo) });
  }

  @Post('events')
  @HttpCode(202)
  @OnlySandboxPartners
  @Reads({ recent: ['farmer_profile', 'low_balance_threshold'] })
  @Operation('triggerEvent', 'Make a notification for your endpoints and your list of events, marked as a test', TRIGGER)
  @Responds(TriggeredSandboxEvent, { status: 202, headers: ['Idempotent-Replayed'] })
  @Fails(SANDBOX_FORBIDDEN, FARMER_NOT_FOUND)
  @KeepsResponsesAboutFarmer(SandboxEventDto, farmerOf)
  async trigger(
    @Caller() partner: PartnerContext,
    @OperationId() id: string,
    @Body() event: SandboxEventDto,
  ): Promise<Success<TriggeredSandboxEvent>> {
    await this.commands.execute(new TriggerEvent(partner, event, id));
    return success({ id, type: event.type, rupa_id: farmerOf(event) });
  }

  @Post('reset')
  @HttpCode(202)
  @OnlySandboxPartners
  @Operation('resetSandbox', 'Forget what you did with test farmers', RESET)
  @Responds(SandboxWasReset, { status: 202, headers: ['Idempotent-Replayed'] })
  @Fails(SANDBOX_FORBIDDEN, NOT_YET_IN_FORCE)
  @KeepsResponses()
  async reset(@Caller() partner: PartnerContext): Promise<Success<SandboxWasReset>> {
    await this.commands.execute(new ResetSandbox(partner));
    return success({});
  }
}

/** Returns the farmer of an event; null for an event about the account, whose `rupa_id` is ignored. */
function farmerOf({ type, rupa_id }: Pick<SandboxEventDto, 'type' | 'rupa_id'>): string | null {
  return type === LOW_BALANCE_TYPE ? null : (rupa_id ?? null);
}

@Module({ imports: [IdempotencyModule], controllers: [SandboxController] })
export class SandboxModule {}
