import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Operation, PartnerApi, Responds } from '../../../http/openapi/operation.js';
import { PER_PAGE } from '../../../http/validating/paging.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { IdParam } from '../../../http/validating/path-parameters.js';
import { Reads } from '../../../http/route-rules.js';
import { GetLookup, GetLookups } from './get-lookups.query.js';
import { ChargedLookup, ChargedLookups, LOOKUP_ID, LookupsQueryDto } from './lookups.dto.js';
import { LOOKUP_UNKNOWN } from '../../wallet/public.js';

/** Shows partners the lookups that they were charged for (decisions, "Your account"). */
@Controller('v1/rupa/lookups')
@PartnerApi('Account')
export class LookupsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Reads({ awaited: ['wallet_entry', 'open_charge'] })
  @Operation('listLookups', 'List the lookups that you were charged for, newest first')
  @Responds(ChargedLookups)
  async list(
    @Caller() { partner_id }: PartnerContext,
    @Query() { limit = PER_PAGE, request_id, rupa_id, ...filter }: LookupsQueryDto,
  ): Promise<Success<ChargedLookups>> {
    return success(await this.queries.execute(new GetLookups(partner_id, limit, { ...filter, requestId: request_id, rupaId: rupa_id })));
  }

  @Get(':lookupId')
  @LOOKUP_ID
  @Reads({ awaited: ['wallet_entry', 'open_charge'] })
  @Operation('getLookup', 'Get a lookup that you were charged for, with the outcome of its charge')
  @Responds(ChargedLookup)
  @Fails(LOOKUP_UNKNOWN)
  async show(@Caller() { partner_id }: PartnerContext, @IdParam('lookupId') lookupId: string): Promise<Success<ChargedLookup>> {
    return success(await this.queries.execute(new GetLookup(partner_id, lookupId)));
  }
}
