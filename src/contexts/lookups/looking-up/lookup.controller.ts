import { Body, Controller, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { type Logger } from 'pino';
import { ENVELOPE_TYPE } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../../http/openapi/operation.js';
import { OnlyActivePartners } from '../../../http/authenticating/partner-authentication.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { ManyAtOnce } from '../../../http/limiting/many-at-once.js';
import { Reads } from '../../../http/route-rules.js';
import { LOGGER } from '../../../platform/injection-tokens.js';
import { FARMER_NOT_FOUND, TEST_FARMERS } from '../../farmers/public.js';
import { IdempotencyKey, KEYED_INVALID, STILL_RUNNING, TakesIdempotencyKey } from '../../idempotency/public.js';
import { Charges } from '../../wallet/public.js';
import { LookUp, type LookUpResult } from './look-up.command.js';
import { LookupListDto, LookupDto } from './lookup.dto.js';
import { LookupListResult, LOOKUP_FORBIDDEN, LookupResult, PAYMENT_REQUIRED } from './lookup-responses.dto.js';
import { noteCounts } from './lookup-metrics.js';

const BILLING =
  'Charges the wallet for each returned section; the charge is refunded if the service fails to respond. Fewer `sections` cost less. A successful lookup records or refreshes the consent. With an `Idempotency-Key`, a retry with the same key and body within 24 hours gets the stored response and is not billed.';
/** The ids that partners with a sandbox account can look up (docs/partners/sandbox.md). */
const TESTING = ['With the key of a sandbox account, look these test farmers up:', ''].concat(
  TEST_FARMERS.map(({ rupa_id, description }) => `- \`${rupa_id}\`: ${description}`),
);

const MANY =
  'Looks 1 to 100 farmers up in one call, which counts as one for the rate limit. Every farmer that is found is a lookup of its own, with its price, its `lookup_id`, its consent and its entry in your wallet. A farmer that nobody has is free and does not stop the others. Unless `allow_partial` is true, nothing is billed if the balance is too low for all of them. With an `Idempotency-Key`, a retry with the same key and body within 24 hours gets the stored response and is not billed; a farmer who was erased since is `not_found` in it.';
/** The read models that lookups show. */
const SHOWN = { recent: ['farmer_profile', 'contribution', 'consent_roster', 'price_book'] } as const;

@Controller('v1/rupa')
@PartnerApi('Lookups')
export class LookupController {
  constructor(
    private readonly commands: CommandBus,
    private readonly charges: Charges,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Post('lookup')
  @HttpCode(200)
  @OnlyActivePartners
  @Reads(SHOWN)
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
    await this.send(reply, partner.partner_id, await this.commands.execute(LookUp.one(partner, body, key)));
  }

  @Post('lookups')
  @HttpCode(200)
  @OnlyActivePartners
  @ManyAtOnce()
  @Reads(SHOWN)
  @Operation('lookUpFarmers', 'Look many farmers up (billed)', MANY)
  @TakesIdempotencyKey
  @Responds(LookupListResult, { headers: ['Idempotent-Replayed'] })
  @Fails(PAYMENT_REQUIRED, LOOKUP_FORBIDDEN, STILL_RUNNING, KEYED_INVALID)
  async lookUpAll(
    @Caller() partner: PartnerContext,
    @IdempotencyKey() key: string | undefined,
    @Body() body: LookupListDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.send(reply, partner.partner_id, await this.commands.execute(LookUp.list(partner, body, key)));
  }

  private async send(reply: FastifyReply, partnerId: string, found: LookUpResult): Promise<void> {
    if (found.counts) noteCounts(reply, found.counts);
    if (found.kind === 'replayed') reply.header('Idempotent-Replayed', 'true');
    else if (found.lookup_ids.length > 0) this.closeCharges(reply, partnerId, found.lookup_ids, found.stored);
    await reply.type(ENVELOPE_TYPE).send(found.payload);
  }

  /** Closes the charges when the connection of the response closes: only then is it known whether the service has sent the response. */
  private closeCharges(reply: FastifyReply, partnerId: string, lookupIds: readonly string[], stored: boolean): void {
    const close = (): void => {
      const response = stored ? 'stored' : reply.raw.statusCode === 200 ? 'sent' : 'failed';
      this.charges.close(partnerId, lookupIds, response).catch((error: unknown) => {
        this.logger.warn(
          { lookup_ids: lookupIds, reason: String(error) },
          'charges could not be settled or refunded; the sweep of stale charges will do it',
        );
      });
    };
    // If the partner disconnected before the charges were made, the close event has already fired.
    if (reply.raw.closed) close();
    else reply.raw.once('close', close);
  }
}
