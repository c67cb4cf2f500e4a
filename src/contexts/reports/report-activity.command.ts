import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { type ReportDto } from './report.dto.js';
import { type RecordedContribution, type Reporter, ReportRecorder } from './report-recorder.js';

/** Records a partner's report (interface, section 4.1). Raises Rejection `farmer_unknown`, also for a farmer of the other mode. */
export class ReportActivity extends Command<RecordedContribution> {
  constructor(
    readonly partner: Reporter,
    /** Validated for the partner's account type. */
    readonly report: ReportDto,
    /** Names the contribution if the report has no reference. A report that runs again with the same id creates nothing. */
    readonly operationId: string = randomUUID(),
  ) {
    super();
  }
}

@CommandHandler(ReportActivity)
export class ReportActivityHandler implements ICommandHandler<ReportActivity> {
  constructor(private readonly recorder: ReportRecorder) {}

  async execute({ partner, report, operationId }: ReportActivity): Promise<RecordedContribution> {
    const { recorded, confirm } = await this.recorder.record(partner, report, operationId);
    await confirm();
    return recorded;
  }
}
