import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { FarmerFinder, FarmerRejection } from '../farmers/public.js';
import { type PartnerContext } from '../../http/authenticating/partner-context.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../kernel/clock.js';
import { type Subject, ReadYourWrites } from '../../platform/projecting/in-memory/read-your-writes.js';
import { DataKeyDestroyed } from '../../platform/key-store/data-keys.js';
import { type Activity } from '../../kernel/activities.js';
import { toKobo } from '../../kernel/money.js';
import { DEFAULT_CURRENCY, type ReportDto } from './report.dto.js';
import { type Contribution, type ContributionEvent } from './domain/events.js';
import { ReferenceHash } from './reference-hash.js';
import { CONTRIBUTION_STREAMS } from './domain/contribution.js';
import { Streams } from '../../platform/event-sourcing/writing/streams.js';

export interface RecordedContribution {
  readonly contribution_id: number;
  /** False if the report updated an earlier contribution with the same reference. */
  readonly created: boolean;
}

/** Records a partner's report (interface, section 4.1). Raises Rejection `farmer_unknown`, also for a farmer of the other mode. */
export class ReportActivity extends Command<RecordedContribution> {
  constructor(
    readonly partner: Pick<PartnerContext, 'partner_id' | 'account_type' | 'key_id' | 'mode' | 'test_run'>,
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
  constructor(
    private readonly streams: Streams,
    private readonly references: ReferenceHash,
    private readonly ids: Ids,
    private readonly farmers: FarmerFinder,
    private readonly clock: Clock,
    private readonly writes: ReadYourWrites,
  ) {}

  async execute({
    partner: { partner_id, account_type, key_id, mode, test_run },
    report: sent,
    operationId,
  }: ReportActivity): Promise<RecordedContribution> {
    this.writes.admit(sent.rupa_id);
    const farmer = await this.farmers.find(sent.rupa_id);
    if (farmer?.mode !== mode) throw new FarmerRejection('farmer_unknown');
    const fields = contributionOf(sent);
    const occurred_at = sent.occurred_at == null ? undefined : new Date(sent.occurred_at).toISOString();
    const contribution = { ...fields, partner_id, account_type, contribution_id: await this.ids.next('contribution') };
    const report = {
      contribution,
      is_about_test_farmer: farmer.is_test,
      test_run,
      occurred_at,
      at: this.clock.iso(),
      actor: `key:${key_id}`,
    };
    const name = fields.partner_reference === null ? operationId : this.references.of(partner_id, fields.partner_reference);
    try {
      const id = `${partner_id}-${name}`;
      const committed = await this.streams.of(CONTRIBUTION_STREAMS).execute(id, report, { mode });
      await this.writes.confirm(committed, committed.events.flatMap(subjectsOf), `${CONTRIBUTION_STREAMS.category}-${id}`);
      if (committed.state.status !== 'reported') throw new Error('The stream holds no contribution after a report.');
      return {
        contribution_id: committed.state.contribution.contribution_id,
        created: fields.partner_reference === null || committed.events[0]?.type === 'ContributionRecorded',
      };
    } catch (error) {
      if (error instanceof DataKeyDestroyed) throw new FarmerRejection('farmer_unknown');
      throw error;
    }
  }
}

/** Returns a report in the form that is recorded (interface, section 4.1; decisions, "Contributions"). */
function contributionOf(
  report: ReportDto,
): Omit<Contribution, 'contribution_id' | 'partner_id' | 'account_type' | 'occurred_at' | 'test_run'> {
  const { rupa_id, event, amount, currency, partner_reference, payload } = report;
  return {
    rupa_id,
    event: event as Activity,
    amount_minor: amount == null ? null : toKobo(amount),
    currency: currency ?? DEFAULT_CURRENCY,
    partner_reference: partner_reference ?? null,
    payload: payload ?? null,
  };
}

/** An update may move a contribution, so it concerns the farmer before it as well. */
function subjectsOf({ data }: ContributionEvent): Subject[] {
  const farmers = 'previous_rupa_id' in data ? [data.rupa_id, data.previous_rupa_id] : [data.rupa_id];
  return [`partner ${data.partner_id}`, ...farmers.map((rupaId): Subject => `farmer ${rupaId}`)];
}
