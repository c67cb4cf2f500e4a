import { Body, Controller, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { type Logger } from 'pino';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../../http/openapi/operation.js';
import { OnlyActivePartners } from '../../../http/authenticating/partner-authentication.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Reads } from '../../../http/route-rules.js';
import { LOGGER } from '../../../platform/injection-tokens.js';
import { Charges } from '../../wallet/public.js';
import { FARMER_NOT_FOUND, TEST_FARMERS } from '../../farmers/public.js';
import { IdempotencyKey, KEYED_INVALID, STILL_RUNNING, TakesIdempotencyKey } from '../../idempotency/public.js';
import { type BilledLookup, LookUp } from './look-up.command.js';
import { LOOKUP_FORBIDDEN, LookupResult, PAYMENT_REQUIRED } from './lookup-responses.dto.js';
import { LookupDto } from './lookup.dto.js';

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
    private readonly charges: Charges,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Post()
  @HttpCode(200)
  @OnlyActivePartners
  @Reads({ recent: ['farmer_profile', 'contribution', 'consent_roster', 'price_book'] })
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
    const found = await this.commands.execute(new LookUp(partner, body, key));
    if (found.kind === 'billed') this.closeCharge(reply, partner.partner_id, found);
    else reply.header('Idempotent-Replayed', 'true');
    await reply.type('application/json; charset=utf-8').send(found.payload);
  }

  /** Closes the charge when the connection of the response closes: only then is it known whether the service has sent the response. */
  private closeCharge(reply: FastifyReply, partnerId: string, { lookup_id, stored }: BilledLookup): void {
    const close = (): void => {
      const response = stored ? 'stored' : reply.raw.statusCode === 200 ? 'sent' : 'failed';
      this.charges.close(partnerId, lookup_id, response).catch((error: unknown) => {
        this.logger.warn(
          { lookup_id, reason: String(error) },
          'a charge could not be settled or refunded; the sweep of stale charges will do it',
        );
      });
    };
    // If the partner disconnected before the charge was made, the close event has already fired.
    if (reply.raw.closed) close();
    else reply.raw.once('close', close);
  }
}
