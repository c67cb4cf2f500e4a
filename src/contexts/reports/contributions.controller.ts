import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { Operation, PartnerApi, Responds } from '../../http/openapi/operation.js';
import { PER_PAGE } from '../../http/validating/paging.js';
import { Caller, type PartnerContext } from '../../http/authenticating/partner-context.js';
import { Reads } from '../../http/route-rules.js';
import { GetContributions } from './get-contributions.query.js';
import { ContributionsQueryDto, OwnContributions } from './own-contributions.dto.js';

@Controller('v1/rupa/contributions')
@PartnerApi('Account')
export class ContributionsController {
  constructor(private readonly queries: QueryBus) {}

  /** Lists the caller's own contributions (decisions, "Your account"). */
  @Get()
  @Reads({ whole: ['contribution'] })
  @Operation('listContributions', 'List what you reported, newest first')
  @Responds(OwnContributions)
  async list(
    @Caller() partner: PartnerContext,
    @Query() { limit = PER_PAGE, partner_reference, rupa_id, ...filter }: ContributionsQueryDto,
  ): Promise<Success<OwnContributions>> {
    const own = { ...filter, partnerReference: partner_reference, rupaId: rupa_id };
    return success(await this.queries.execute(new GetContributions(partner, limit, own)));
  }
}
