import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../../http/openapi/operation.js';
import { OnlyActivePartners } from '../../../http/authenticating/partner-authentication.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { ManyAtOnce } from '../../../http/limiting/many-at-once.js';
import { Reads } from '../../../http/route-rules.js';
import { IdempotencyKey, KEYED_INVALID, STILL_RUNNING, TakesIdempotencyKey } from '../../idempotency/public.js';
import { LookUp } from './look-up.command.js';
import { LookupListDto } from './lookup-list.dto.js';
import { LookupListResult } from './lookup-list-responses.dto.js';
import { LookupResponses } from './lookup-responses.js';
import { LOOKUP_FORBIDDEN, PAYMENT_REQUIRED } from './lookup-responses.dto.js';

const MANY =
  'Looks 1 to 100 farmers up in one call, which counts as one for the rate limit. Every farmer that is found is a lookup of its own, with its price, its `lookup_id`, its consent and its entry in your wallet. A farmer that nobody has is free and does not stop the others. Unless `allow_partial` is true, nothing is billed if the balance is too low for all of them. With an `Idempotency-Key`, a retry with the same key and body within 24 hours gets the stored response and is not billed; a farmer who was erased since is `not_found` in it.';

@Controller('v1/rupa/lookups')
@PartnerApi('Lookups')
export class LookupListController {
  constructor(
    private readonly commands: CommandBus,
    private readonly responses: LookupResponses,
  ) {}

  @Post()
  @HttpCode(200)
  @OnlyActivePartners
  @ManyAtOnce()
  @Reads({ recent: ['farmer_profile', 'contribution', 'consent_roster', 'price_book'] })
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
    await this.responses.send(reply, partner.partner_id, await this.commands.execute(LookUp.list(partner, body, key)));
  }
}
