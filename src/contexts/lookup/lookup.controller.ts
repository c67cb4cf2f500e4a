import { Body, Controller, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { type Logger } from 'pino';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../http/openapi/operation.js';
import { OnlyActivePartners } from '../../http/partner-authentication.js';
import { Caller, type PartnerContext } from '../../http/partner-context.js';
import { LOGGER } from '../../platform/injection-tokens.js';
import { RefundCharge, SettleCharge } from '../wallet/public.js';
import { FARMER_NOT_FOUND, TEST_FARMERS } from '../farmers/public.js';
import { IdempotencyKey, KEYED_INVALID, STILL_RUNNING, TakesIdempotencyKey } from '../idempotency/public.js';
import { LookUpFarmer } from './look-up-farmer.command.js';
import { LookUpOnce } from './look-up-once.command.js';
import { LOOKUP_FORBIDDEN, LookupResult, PAYMENT_REQUIRED } from './lookup-responses.dto.js';
import { LookupDto } from './lookup.dto.js';

/** The default of `source` (interface, section 4.2). */
const DEFAULT_SOURCE = 'loan';
const BILLING =
  'Charges the wallet for each returned section; the charge is refunded if the service fails to respond. Fewer `sections` cost less. A successful lookup records or refreshes the consent. With an `Idempotency-Key`, a retry with the same key and body within 24 hours gets the stored response and is not billed.';
/** The ids that partners with a sandbox account can look up (docs/partners/sandbox.md). */
const TESTING = ['With the key of a sandbox account, look these test farmers up:', ''].concat(
  TEST_FARMERS.map(({ rupa_id, description }) => `- \`${rupa_id}\`: ${description}`),
);

@Controller('v1/rupa/lookup')
@PartnerApi('Lookups')
export class LookupController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Post()
  @HttpCode(200)
  @OnlyActivePartners
  @Operation('lookUpFarmer', 'Look a farmer up (billed)', [BILLING, '', ...TESTING].join('\n'))
  @TakesIdempotencyKey
  @Responds(LookupResult, { headers: ['Idempotent-Replayed'] })
  @Fails(PAYMENT_REQUIRED, LOOKUP_FORBIDDEN, FARMER_NOT_FOUND, STILL_RUNNING, KEYED_INVALID)
  async lookUp(
    @Caller() partner: PartnerContext,
    @IdempotencyKey() key: string | undefined,
    @Body() body: LookupDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = { rupa_id: body.rupa_id, sections: body.sections ?? undefined, source: body.source ?? DEFAULT_SOURCE };
    if (key === undefined) {
      const { lookup_id, payload } = await this.commands.execute(new LookUpFarmer(partner, request));
      this.closeCharge(reply, partner.partner_id, lookup_id, false);
      await send(reply, payload);
      return;
    }
    const outcome = await this.commands.execute(new LookUpOnce(partner, request, key));
    if (outcome.kind === 'billed') this.closeCharge(reply, partner.partner_id, outcome.lookup_id, true);
    else reply.header('Idempotent-Replayed', 'true');
    await send(reply, outcome.payload);
  }

  /**
   * Settles or refunds the charge when the connection of the response closes. A partner that disconnected early is charged, because the
   * response was on its way. The charge is refunded only if the service failed to send the response and has not stored it.
   */
  private closeCharge(reply: FastifyReply, partnerId: string, lookupId: string, stored: boolean): void {
    const close = (): void => {
      const responded = stored || reply.raw.statusCode === 200;
      const outcome = responded ? new SettleCharge(partnerId, lookupId) : new RefundCharge(partnerId, lookupId, 'the response failed');
      this.commands.execute(outcome).catch((error: unknown) => {
        this.logger.warn(
          { lookup_id: lookupId, reason: String(error) },
          'a charge could not be settled or refunded; the sweep of stale charges will do it',
        );
      });
    };
    // If the partner disconnected before the charge was made, the close event has already fired.
    if (reply.raw.closed) close();
    else reply.raw.once('close', close);
  }
}

async function send(reply: FastifyReply, payload: string): Promise<void> {
  await reply.type('application/json; charset=utf-8').send(payload);
}
