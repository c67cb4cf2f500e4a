import { Body, Controller, Get, HttpCode, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { IdParam } from '../../../http/validating/path-parameters.js';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { type Body as ResponseBody, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { NOT_YET_IN_FORCE } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../../http/openapi/operation.js';
import { PER_PAGE } from '../../../http/validating/paging.js';
import { DEFAULT_MODE } from '../../../kernel/accounts.js';
import { type NeededReadModels, Reads, TakesMergePatch } from '../../../http/route-rules.js';
import { ChangePartner, type PartnerChange } from './change-partner.command.js';
import { GetPartner, GetPartnersPage, ListPartners } from './get-partners.query.js';
import { PARTNER_ID, PARTNER_NOT_FOUND, PartnerList, PartnerView, RegisteredPartner } from './partner-responses.dto.js';
import { IpAllowListDto, OptionalSectionsDto, PartnerDetailsDto, PartnersQueryDto, RegisterPartnerDto } from './partners.dto.js';
import { RegisterPartner } from './register-partner.command.js';

/** The command waits for the partner; the response also has its number as a customer, its usage and balance. */
const READS_OF_CHANGES: NeededReadModels = { awaited: ['partner'], afterwards: ['customer', 'partner_usage', 'wallet_entry'] };

const DETAILS =
  'A JSON merge patch: what is not sent stays, and null clears a field of `legal`, or all of them. The name of the company cannot be cleared.';

@Controller('admin/v1/partners')
@AdminApi('Partners')
@PARTNER_ID
export class PartnersAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly bodies: LargeBodies,
  ) {}

  @Post()
  @Reads({ awaited: ['customer'] })
  @Operation('registerPartner', 'Register a partner, whose status is pending at first')
  @Responds(RegisteredPartner, { status: 201 })
  @Fails(NOT_YET_IN_FORCE)
  async register(@Body() partner: RegisterPartnerDto, @Actor() actor: string): Promise<Success<RegisteredPartner>> {
    const registered = await this.commands.execute(new RegisterPartner(partner, actor));
    const { company_name, account_type, mode } = partner;
    return success({ ...registered, company_name, account_type, mode: mode ?? DEFAULT_MODE, status: 'pending' });
  }

  @Get()
  @Reads({ whole: ['partner', 'customer'], recent: ['partner_usage', 'wallet_entry'] })
  @Operation('listPartners', 'List all partners or, with a parameter, a page of them')
  @Responds(PartnerList)
  async list(
    @Query() { limit, cursor, search, mode, status, sort }: PartnersQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody | Success<PartnerList>> {
    if ([limit, cursor, search, mode, status, sort].some((value) => value !== undefined)) {
      const page = new GetPartnersPage({ search, mode, status }, sort ?? 'newest', limit ?? PER_PAGE, cursor);
      const { items, next_cursor } = await this.queries.execute(page);
      return success({ partners: items, next_cursor });
    }
    const found = await this.queries.execute(new ListPartners());
    return await this.bodies.json<PartnerList>(reply, found, { partners: found.partners });
  }

  @Get(':id')
  @Reads({ whole: ['partner', 'customer'], recent: ['partner_usage', 'wallet_entry'] })
  @Operation('getPartner', 'Get a partner')
  @Responds(PartnerView)
  @Fails(PARTNER_NOT_FOUND)
  async show(@IdParam() id: string): Promise<Success<PartnerView>> {
    return success(await this.queries.execute(new GetPartner(id)));
  }

  @Patch(':id')
  @TakesMergePatch
  @Reads({ awaited: ['partner', 'customer'], afterwards: ['partner_usage', 'wallet_entry'] })
  @Operation('changePartnerDetails', 'Change a partner’s name and its details for invoices and statements', DETAILS)
  @Responds(PartnerView)
  @Fails(PARTNER_NOT_FOUND, NOT_YET_IN_FORCE)
  async changeDetails(@IdParam() id: string, @Body() details: PartnerDetailsDto, @Actor() actor: string): Promise<Success<PartnerView>> {
    return await this.change(id, details, actor);
  }

  @Post(':id/activate')
  @HttpCode(200)
  @Reads(READS_OF_CHANGES)
  @Operation('activatePartner', 'Activate a partner, so that it can look up farmers')
  @Responds(PartnerView)
  @Fails(PARTNER_NOT_FOUND, NOT_YET_IN_FORCE)
  async activate(@IdParam() id: string, @Actor() actor: string): Promise<Success<PartnerView>> {
    return await this.change(id, 'activate', actor);
  }

  @Post(':id/deactivate')
  @HttpCode(200)
  @Reads(READS_OF_CHANGES)
  @Operation('deactivatePartner', 'Deactivate a partner: its status becomes pending')
  @Responds(PartnerView)
  @Fails(PARTNER_NOT_FOUND, NOT_YET_IN_FORCE)
  async deactivate(@IdParam() id: string, @Actor() actor: string): Promise<Success<PartnerView>> {
    return await this.change(id, 'deactivate', actor);
  }

  @Put(':id/optional-sections')
  @Reads(READS_OF_CHANGES)
  @Operation('setOptionalSections', 'Set the sections that a partner may read in addition to its mandatory ones')
  @Responds(PartnerView)
  @Fails(PARTNER_NOT_FOUND, NOT_YET_IN_FORCE)
  async changeSections(
    @IdParam() id: string,
    @Body() sections: OptionalSectionsDto,
    @Actor() actor: string,
  ): Promise<Success<PartnerView>> {
    return await this.change(id, sections, actor);
  }

  @Put(':id/ip-allow-list')
  @Reads(READS_OF_CHANGES)
  @Operation('setIpAllowList', 'Set the IP addresses that a partner may call from; an empty list allows all')
  @Responds(PartnerView)
  @Fails(PARTNER_NOT_FOUND, NOT_YET_IN_FORCE)
  async changeAllowList(@IdParam() id: string, @Body() allowList: IpAllowListDto, @Actor() actor: string): Promise<Success<PartnerView>> {
    return await this.change(id, allowList, actor);
  }

  private async change(id: string, change: PartnerChange, actor: string): Promise<Success<PartnerView>> {
    await this.commands.execute(new ChangePartner(id, change, actor));
    return await this.show(id);
  }
}
