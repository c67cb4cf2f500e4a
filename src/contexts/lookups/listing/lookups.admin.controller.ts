import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { IdParam } from '../../../http/validating/path-parameters.js';
import { Reads } from '../../../http/route-rules.js';
import { toNaira } from '../../../kernel/money.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { MayWaitForApproval } from '../../approvals/public.js';
import {
  CHARGE_NOT_SETTLED,
  CompensatedLookup,
  CompensateLookup,
  CompensationDto,
  LOOKUP_UNKNOWN,
  WalletRejection,
} from '../../wallet/public.js';
import { ExplainLookup, type LookupExplanation } from '../explaining/explain-lookup.query.js';
import { ExplainLookupsOfFarmer, ExplainRequest } from './find-lookups.query.js';
import { FindLookupsQueryDto, LookupExplanations, LookupExplanationView, LOOKUPS_PER_PAGE } from '../explaining/lookup-explanation.dto.js';
import { LOOKUP_ID } from './lookups.dto.js';

const FINDING =
  'Either `request_id` or `rupa_id` is required, and not both. Only charged lookups are found. With a partner, a purpose or an amount, a call looks through 2,000 lookups of the farmer, so a page may be short although there is a next one.';
const ONE_OF_TWO = 'The request id field is required, or the rupa id field instead of it.';

@Controller('admin/v1/lookups')
@AdminApi('Wallets')
export class LookupsAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Reads({ awaited: ['wallet_entry'] })
  @Operation('findLookups', 'Find the lookups of a request, by the X-Request-Id of its response, or of a farmer in a time window', FINDING)
  @Responds(LookupExplanations)
  async find(
    @Query() { request_id, rupa_id, limit = LOOKUPS_PER_PAGE, cursor, ...filter }: FindLookupsQueryDto,
  ): Promise<Success<LookupExplanations>> {
    if (!request_id === !rupa_id) throw new ValidationFailed({ request_id: [ONE_OF_TWO] });
    if (!rupa_id) return success({ lookups: await this.queries.execute(new ExplainRequest(request_id ?? '')), next_cursor: null });
    const { items, next_cursor } = await this.queries.execute(new ExplainLookupsOfFarmer(rupa_id, filter, limit, cursor));
    return success({ lookups: items, next_cursor });
  }

  @Get(':lookupId')
  @LOOKUP_ID
  @Reads({ awaited: ['wallet_entry'] })
  @Operation('explainLookup', 'Explain a lookup: partner, key, farmer, fees and the outcome of its charge')
  @Responds(LookupExplanationView)
  @Fails(LOOKUP_UNKNOWN)
  async show(@IdParam('lookupId') lookupId: string): Promise<Success<LookupExplanation>> {
    const found = await this.queries.execute(new ExplainLookup(lookupId));
    if (!found) throw new WalletRejection('lookup_unknown');
    return success(found);
  }

  @Post(':lookupId/compensation')
  @LOOKUP_ID
  @HttpCode(200)
  @Reads({ awaited: ['wallet_entry'] })
  @Operation('compensateLookup', 'Give back the charge of a settled lookup, at most once')
  @Responds(CompensatedLookup)
  @MayWaitForApproval
  @Fails(LOOKUP_UNKNOWN, CHARGE_NOT_SETTLED)
  async compensate(
    @IdParam('lookupId') lookupId: string,
    @Body() compensation: CompensationDto,
    @Actor() actor: string,
  ): Promise<Success<CompensatedLookup>> {
    const { balance_kobo, amount_kobo, created } = await this.commands.execute(new CompensateLookup(lookupId, compensation, actor));
    return success({ balance: toNaira(balance_kobo), amount: toNaira(amount_kobo), created });
  }
}
