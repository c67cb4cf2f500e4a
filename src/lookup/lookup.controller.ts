import { Body, Controller, HttpCode, Inject, Post, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { finished } from 'node:stream';
import { type Logger } from 'pino';
import { ActivePartnerGuard, ApiKeyGuard } from '../http/api-key.guard.js';
import { Caller, type PartnerContext } from '../http/partner-context.js';
import { LOGGER } from '../infrastructure/tokens.js';
import { RefundCharge, SettleCharge } from '../wallet/close-charge.command.js';
import { LookUpFarmer } from './look-up-farmer.command.js';
import { LookupDto } from './lookup.dto.js';

/** Interface 4.2. */
const DEFAULT_SOURCE = 'loan';

@Controller('v1/rupa/lookup')
@ApiTags('partners')
@ApiSecurity('partner')
@UseGuards(ApiKeyGuard, ActivePartnerGuard)
export class LookupController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Post()
  @HttpCode(200)
  async lookUp(@Caller() partner: PartnerContext, @Body() body: LookupDto, @Res() reply: FastifyReply): Promise<void> {
    const request = { rupa_id: body.rupa_id, sections: body.sections ?? undefined, source: body.source ?? DEFAULT_SOURCE };
    const { lookup_id, payload } = await this.commands.execute(new LookUpFarmer(partner, request));
    // A partner that hung up is charged: it had its answer on the way. Only an answer of ours that failed is not.
    finished(reply.raw, () => {
      const outcome =
        reply.raw.statusCode === 200
          ? new SettleCharge(partner.partner_id, lookup_id)
          : new RefundCharge(partner.partner_id, lookup_id, 'the answer failed');
      this.commands.execute(outcome).catch((error: unknown) => {
        this.logger.warn({ lookup_id, reason: String(error) }, 'a charge could not be closed; the sweep will refund it');
      });
    });
    await reply.type('application/json; charset=utf-8').send(payload);
  }
}
