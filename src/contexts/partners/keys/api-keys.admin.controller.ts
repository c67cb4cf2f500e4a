import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { IdParam } from '../../../http/validating/path-parameters.js';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { NOT_YET_IN_FORCE } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../../http/openapi/operation.js';
import { PARTNER_ID, PARTNER_NOT_FOUND } from '../registering/partner-responses.dto.js';
import { PageQueryDto, PER_PAGE } from '../../../http/validating/paging.js';
import { Reads } from '../../../http/route-rules.js';
import {
  API_KEY_CONFLICT,
  API_KEY_NOT_FOUND,
  ApiKeyList,
  DeactivatedApiKey,
  IssuedApiKey,
  KEY_ID,
  LinkedApiKey,
} from './api-key-responses.dto.js';
import { ApiKeysQueryDto, IssueApiKeyDto, LinkApiKeyDto } from './api-keys.dto.js';
import { ChangeApiKey } from './change-api-key.command.js';
import { ListApiKeys } from './list-api-keys.query.js';
import { IssueApiKey } from './issue-api-key.command.js';

@Controller('admin/v1')
@AdminApi('API keys')
@PARTNER_ID
@KEY_ID
export class ApiKeysAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('partners/:id/api-keys')
  @Reads({ whole: ['api_key'], recent: ['partner'] })
  @Operation('listPartnerApiKeys', 'List a partner’s keys with the hour of their last use, newest first')
  @Responds(ApiKeyList)
  @Fails(PARTNER_NOT_FOUND)
  async listOfPartner(@IdParam() id: string, @Query() { limit = PER_PAGE, cursor }: PageQueryDto): Promise<Success<ApiKeyList>> {
    return success(await this.queries.execute(new ListApiKeys({ partnerId: id }, limit, cursor)));
  }

  @Get('api-keys')
  @Reads({ whole: ['api_key'] })
  @Operation('listApiKeys', 'List the keys of all partners, or those that are linked to none, newest first')
  @Responds(ApiKeyList)
  async list(@Query() { linked, limit = PER_PAGE, cursor }: ApiKeysQueryDto): Promise<Success<ApiKeyList>> {
    const filter = { linked: linked === undefined ? undefined : linked === 'true' };
    return success(await this.queries.execute(new ListApiKeys(filter, limit, cursor)));
  }

  @Post('partners/:id/api-keys')
  @Reads({ recent: ['partner'] })
  @Operation('issueApiKey', 'Issue a key for a partner')
  @Responds(IssuedApiKey, { status: 201 })
  @Fails(PARTNER_NOT_FOUND, NOT_YET_IN_FORCE)
  async issue(@IdParam() id: string, @Body() key: IssueApiKeyDto, @Actor() actor: string): Promise<Success<IssuedApiKey>> {
    return success(await this.commands.execute(new IssueApiKey(id, key, actor)));
  }

  @Post('api-keys')
  @Operation('issueUnlinkedApiKey', 'Issue a key that is linked to no partner')
  @Responds(IssuedApiKey, { status: 201 })
  @Fails(NOT_YET_IN_FORCE)
  async issueUnlinked(@Body() key: IssueApiKeyDto, @Actor() actor: string): Promise<Success<IssuedApiKey>> {
    return success(await this.commands.execute(new IssueApiKey(null, key, actor)));
  }

  @Put('api-keys/:keyId/partner')
  @Reads({ recent: ['partner'] })
  @Operation('linkApiKey', 'Link a key to a partner')
  @Responds(LinkedApiKey)
  @Fails(API_KEY_NOT_FOUND, API_KEY_CONFLICT, NOT_YET_IN_FORCE)
  async link(@IdParam('keyId') key_id: string, @Body() link: LinkApiKeyDto, @Actor() actor: string): Promise<Success<LinkedApiKey>> {
    await this.commands.execute(new ChangeApiKey(key_id, link, actor));
    return success({ key_id, partner_id: link.partner_id });
  }

  @Delete('api-keys/:keyId')
  @Operation('deactivateApiKey', 'Deactivate a key, at once and on every instance')
  @Responds(DeactivatedApiKey)
  @Fails(API_KEY_NOT_FOUND, NOT_YET_IN_FORCE)
  async deactivate(@IdParam('keyId') key_id: string, @Actor() actor: string): Promise<Success<DeactivatedApiKey>> {
    await this.commands.execute(new ChangeApiKey(key_id, 'deactivate', actor));
    return success({ key_id, deactivated: true });
  }
}
