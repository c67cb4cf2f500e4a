import { Body, Controller, Delete, Param, Post, Put, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Actor, AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { IssueApiKeyDto, LinkApiKeyDto } from './api-keys.dto.js';
import { ChangeApiKey } from './change-api-key.command.js';
import { IssueApiKey } from './issue-api-key.command.js';

interface IssuedKey {
  readonly key_id: string;
  /** Shown this once. */
  readonly api_key: string;
}

@Controller('admin/v1')
@UseGuards(AdminGuard)
export class ApiKeysAdminController {
  constructor(private readonly commands: CommandBus) {}

  @Post('partners/:id/api-keys')
  async issue(@Param('id') id: string, @Body() { label }: IssueApiKeyDto, @Actor() actor: string): Promise<Success<IssuedKey>> {
    return success(await this.commands.execute(new IssueApiKey(id, label ?? null, actor)));
  }

  @Post('api-keys')
  async issueUnlinked(@Body() { label }: IssueApiKeyDto, @Actor() actor: string): Promise<Success<IssuedKey>> {
    return success(await this.commands.execute(new IssueApiKey(null, label ?? null, actor)));
  }

  @Put('api-keys/:keyId/partner')
  async link(@Param('keyId') key_id: string, @Body() { partner_id }: LinkApiKeyDto, @Actor() actor: string): Promise<Success<object>> {
    await this.commands.execute(new ChangeApiKey(key_id, { kind: 'link', partner_id }, actor));
    return success({ key_id, partner_id });
  }

  @Delete('api-keys/:keyId')
  async deactivate(@Param('keyId') key_id: string, @Actor() actor: string): Promise<Success<object>> {
    await this.commands.execute(new ChangeApiKey(key_id, { kind: 'deactivate' }, actor));
    return success({ key_id, deactivated: true });
  }
}
