import { Body, Controller, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor, AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { ChangePartner, type PartnerChange } from './change-partner.command.js';
import { GetPartners, type PartnerView } from './get-partners.query.js';
import { IpAllowListDto, OptionalSectionsDto, RegisterPartnerDto } from './partners.dto.js';
import { RegisterPartner } from './register-partner.command.js';

@Controller('admin/v1/partners')
@UseGuards(AdminGuard)
export class PartnersAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  async register(
    @Body() { company_name, account_type, mode: asked }: RegisterPartnerDto,
    @Actor() actor: string,
  ): Promise<Success<object>> {
    const mode = asked ?? 'live';
    const { partner_id } = await this.commands.execute(new RegisterPartner({ company_name, account_type, mode }, actor));
    return success({ partner_id, company_name, account_type, mode, status: 'pending' });
  }

  @Get()
  async list(): Promise<Success<{ partners: PartnerView[] }>> {
    return success({ partners: await this.queries.execute(new GetPartners()) });
  }

  @Get(':id')
  async show(@Param('id') id: string): Promise<Success<PartnerView>> {
    const [partner] = await this.queries.execute(new GetPartners(id));
    return success(partner as PartnerView);
  }

  @Post(':id/activate')
  @HttpCode(200)
  async activate(@Param('id') id: string, @Actor() actor: string): Promise<Success<PartnerView>> {
    return await this.change(id, { kind: 'activate' }, actor);
  }

  @Post(':id/deactivate')
  @HttpCode(200)
  async deactivate(@Param('id') id: string, @Actor() actor: string): Promise<Success<PartnerView>> {
    return await this.change(id, { kind: 'deactivate' }, actor);
  }

  @Put(':id/optional-sections')
  async changeSections(
    @Param('id') id: string,
    @Body() { sections }: OptionalSectionsDto,
    @Actor() actor: string,
  ): Promise<Success<PartnerView>> {
    return await this.change(id, { kind: 'change-optional-sections', sections: [...new Set(sections)] }, actor);
  }

  @Put(':id/ip-allow-list')
  async changeAllowList(@Param('id') id: string, @Body() { cidrs }: IpAllowListDto, @Actor() actor: string): Promise<Success<PartnerView>> {
    return await this.change(id, { kind: 'change-ip-allow-list', cidrs }, actor);
  }

  private async change(id: string, change: PartnerChange, actor: string): Promise<Success<PartnerView>> {
    await this.commands.execute(new ChangePartner(id, change, actor));
    return await this.show(id);
  }
}
