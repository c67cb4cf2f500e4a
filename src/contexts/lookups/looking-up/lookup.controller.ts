import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../../http/openapi/operation.js';
import { OnlyActivePartners } from '../../../http/authenticating/partner-authentication.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Reads } from '../../../http/route-rules.js';
import { FARMER_NOT_FOUND, TEST_FARMERS } from '../../farmers/public.js';
import { IdempotencyKey, KEYED_INVALID, STILL_RUNNING, TakesIdempotencyKey } from '../../idempotency/public.js';
import { LookUp } from './look-up.command.js';
import { LookupResponses } from './lookup-responses.js';
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
    private readonly responses: LookupResponses,
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
    await this.responses.send(reply, partner.partner_id, await this.commands.execute(LookUp.one(partner, body, key)));
  }
}
