import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiKeyGuard } from '../../http/api-key.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { Caller, type PartnerContext } from '../../http/partner-context.js';
import { Clock } from '../../kernel/clock.js';
import { ReportActivity } from './report-activity.command.js';
import { validateReport } from './validate-report.js';

interface Recorded {
  readonly recorded: true;
  readonly created: boolean;
  readonly contribution_id: number;
  readonly event: string;
  readonly rupa_id: string;
}

@Controller('v1/rupa/report')
@UseGuards(ApiKeyGuard)
export class ReportController {
  constructor(
    private readonly commands: CommandBus,
    private readonly clock: Clock,
  ) {}

  /** Interface 4.1. */
  @Post()
  @HttpCode(200)
  async report(@Caller() partner: PartnerContext, @Body() body: unknown): Promise<Success<Recorded>> {
    const reported = validateReport(body, partner.account_type, this.clock.now());
    const { contribution_id, created } = await this.commands.execute(new ReportActivity(partner, reported));
    const { event, rupa_id } = reported;
    return success(
      { recorded: true, created, contribution_id, event, rupa_id },
      created ? 'Contribution recorded.' : 'Contribution updated.',
    );
  }
}
