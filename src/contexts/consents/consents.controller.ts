import { Controller, Delete, Get, Param, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiKeyGuard } from '../../http/api-key.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { Caller, type PartnerContext } from '../../http/partner-context.js';
import { parseRupaId } from '../../http/validation.js';
import { GetRoster, type RosterEntry } from './get-roster.query.js';
import { ReleaseFarmer } from './release-consent.command.js';

@Controller('v1/rupa/consents')
@UseGuards(ApiKeyGuard)
export class ConsentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  /** Interface 4.4. */
  @Get()
  async list(@Caller() { partner_id }: PartnerContext): Promise<Success<{ consents: RosterEntry[]; count: number }>> {
    const consents = await this.queries.execute(new GetRoster(partner_id));
    return success({ consents, count: consents.length });
  }

  /** Interface 4.5. */
  @Delete(':rupaId')
  async release(@Caller() partner: PartnerContext, @Param('rupaId') id: string): Promise<Success<{ revoked: true; rupa_id: string }>> {
    const rupa_id = parseRupaId(id);
    await this.commands.execute(new ReleaseFarmer(partner, rupa_id));
    return success({ revoked: true, rupa_id });
  }
}
