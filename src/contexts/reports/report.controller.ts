import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi, TakesBody } from '../../http/openapi/operation.js';
import { ManyAtOnce } from '../../http/limiting/many-at-once.js';
import { listedIn, validateBody } from '../../http/validating/validation.js';
import { Caller, type PartnerContext } from '../../http/authenticating/partner-context.js';
import { Reads } from '../../http/route-rules.js';
import { Clock } from '../../kernel/clock.js';
import { FARMER_NOT_FOUND } from '../farmers/public.js';
import { KeepsResponsesAboutFarmer, KeepsResponsesOfList, OperationId } from '../idempotency/public.js';
import { type ListedReport, ListedReports, RecordedContribution, ReportDto, REPORTS_INTERRUPTED, ReportsDto } from './report.dto.js';
import { ReportActivity } from './report-activity.command.js';
import { ReportMany } from './report-many.command.js';

const CREATED = 'Contribution recorded.';
const REPEATED =
  'A report with a `partner_reference` that was sent before replaces that contribution. A report without one always creates a contribution.';

@Controller('v1/rupa/report')
@PartnerApi('Reports')
export class ReportController {
  constructor(
    private readonly commands: CommandBus,
    private readonly clock: Clock,
  ) {}

  /** Records a report (interface, section 4.1). */
  @Post()
  @HttpCode(200)
  @Reads({ recent: ['farmer_profile'] })
  @Operation('reportActivity', 'Report an activity of a farmer (free)', REPEATED)
  @TakesBody(ReportDto)
  @Responds(RecordedContribution, { message: CREATED, headers: ['Idempotent-Replayed'] })
  @KeepsResponsesAboutFarmer(ReportDto, ({ rupa_id }) => rupa_id)
  @Fails(FARMER_NOT_FOUND)
  async report(
    @Caller() partner: PartnerContext,
    @OperationId() operationId: string,
    @Body() body: unknown,
  ): Promise<Success<RecordedContribution>> {
    const reported = validateBody(ReportDto, body, { accountType: partner.account_type, now: this.clock.now() });
    const { contribution_id, created } = await this.commands.execute(new ReportActivity(partner, reported, operationId));
    const { event, rupa_id } = reported;
    return success({ recorded: true, created, contribution_id, event, rupa_id }, created ? CREATED : 'Contribution updated.');
  }
}

const EACH =
  'Each report is recorded or refused on its own, as by POST /v1/rupa/report; two with one `partner_reference` apply in their order. The body may have 1 MiB, and four such calls of an account may run at once.';

@Controller('v1/rupa/reports')
@PartnerApi('Reports')
export class ReportsController {
  constructor(private readonly commands: CommandBus) {}

  /** Records a list of reports (decisions, "Many at once"). */
  @Post()
  @HttpCode(200)
  @Reads({ recent: ['farmer_profile'] })
  @Operation('reportActivities', 'Report up to 100 activities (free)', EACH)
  @TakesBody(ReportsDto)
  @Responds(ListedReports, { headers: ['Idempotent-Replayed'] })
  @KeepsResponsesOfList('reports')
  @ManyAtOnce()
  @Fails(REPORTS_INTERRUPTED)
  async report(
    @Caller() partner: PartnerContext,
    @OperationId() operationId: string,
    @Body() body: unknown,
  ): Promise<Success<ListedReports>> {
    const results = await this.commands.execute(new ReportMany(partner, listedIn(ReportsDto, 'reports', body), operationId));
    const having = (outcome: ListedReport['outcome']): number => results.filter((each) => each.outcome === outcome).length;
    const [created, updated, refused] = [having('created'), having('updated'), having('refused')];
    return success({ results, summary: { requested: results.length, created, updated, refused } });
  }
}
