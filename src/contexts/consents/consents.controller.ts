import { Controller, Delete, Get, Module, Query } from '@nestjs/common';
import { GetRoster, GetRosterHandler, RosterBounds } from './get-roster.query.js';
import { ReleaseFarmer, ReleaseFarmerHandler } from './release-consent.command.js';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { NOT_YET_IN_FORCE } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../http/openapi/operation.js';
import { RupaIdParameter } from '../../http/openapi/properties.js';
import { PER_PAGE } from '../../http/validating/paging.js';
import { Caller, type PartnerContext } from '../../http/authenticating/partner-context.js';
import { RupaIdParam } from '../../http/validating/path-parameters.js';
import { type RupaId } from '../../http/validating/validation.js';
import { Reads } from '../../http/route-rules.js';
import { CONSENT_NOT_FOUND, MAX_ENTRIES, ReleasedConsent, Roster, RosterQueryDto } from './consents.dto.js';

const FIRST =
  'Most recently accessed first; without `limit` and `cursor` the first 200. A farmer who is looked up while you page keeps its place in these pages. A page may have fewer entries than `limit` although there are more: go on until `next_cursor` is null.';
const REPEATED = 'A repeated call responds with 404, because the farmer is no longer on the roster.';

@Controller('v1/rupa/consents')
@PartnerApi('Consents')
@RupaIdParameter()
class ConsentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  /** Lists the roster (interface, section 4.4). */
  @Get()
  @Reads({ awaited: ['consent_roster', 'wallet_entry'], recent: ['erased_farmer'] })
  @Operation('listConsents', 'List the roster: the farmers who shared their Rupa ID', FIRST)
  @Responds(Roster)
  async list(@Caller() { partner_id }: PartnerContext, @Query() { limit, cursor }: RosterQueryDto): Promise<Success<Roster>> {
    const most = cursor === undefined ? MAX_ENTRIES : PER_PAGE;
    const { items, next_cursor } = await this.queries.execute(new GetRoster(partner_id, limit ?? most, cursor));
    return success({ consents: items, count: items.length, next_cursor });
  }

  /** Releases a farmer (interface, section 4.5). */
  @Delete(':rupaId')
  @Reads({ awaited: ['consent_roster'], recent: ['erased_farmer'] })
  @Operation('releaseConsent', 'Release a farmer from the roster', REPEATED)
  @Responds(ReleasedConsent)
  @Fails(CONSENT_NOT_FOUND, NOT_YET_IN_FORCE)
  async release(@Caller() partner: PartnerContext, @RupaIdParam() rupa_id: RupaId): Promise<Success<ReleasedConsent>> {
    await this.commands.execute(new ReleaseFarmer(partner, rupa_id));
    return success({ revoked: true, rupa_id });
  }
}

@Module({ controllers: [ConsentsController], providers: [ReleaseFarmerHandler, GetRosterHandler, RosterBounds] })
export class ConsentsModule {}
