import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Actor } from '../../http/admin-authentication.js';
import { success, type Success } from '../../http/envelope.js';
import { INVALID } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../http/openapi/operation.js';
import { IdParam } from '../../http/path-parameters.js';
import { toNaira } from '../../kernel/money.js';
import { CompensateLookup } from './compensate-lookup.command.js';
import { CHARGE_NOT_SETTLED, CompensatedLookup, LOOKUP_UNKNOWN } from './wallet-responses.dto.js';
import { CompensationDto } from './wallet.dto.js';

@Controller('admin/v1/lookups/:lookupId')
@AdminApi('Wallets')
@Fails(LOOKUP_UNKNOWN, INVALID)
export class LookupsAdminController {
  constructor(private readonly commands: CommandBus) {}

  @Post('compensation')
  @HttpCode(200)
  @Operation('compensateLookup', 'Give back the charge of a settled lookup, at most once')
  @Responds(CompensatedLookup)
  @Fails(CHARGE_NOT_SETTLED)
  async compensate(
    @IdParam('lookupId') lookupId: string,
    @Body() { reason }: CompensationDto,
    @Actor() actor: string,
  ): Promise<Success<CompensatedLookup>> {
    const { balance_kobo, amount_kobo, created } = await this.commands.execute(new CompensateLookup(lookupId, reason, actor));
    return success({ balance: toNaira(balance_kobo), amount: toNaira(amount_kobo), created });
  }
}
