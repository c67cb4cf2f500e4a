import { Injectable } from '@nestjs/common';
import { FarmerFinder, FarmerRejection } from '../farmers/public.js';
import { type PartnerContext } from '../../http/authenticating/partner-context.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../kernel/clock.js';
import { type Subject, ReadYourWrites } from '../../platform/projecting/in-memory/read-your-writes.js';
import { DataKeyDestroyed } from '../../platform/key-store/data-keys.js';
import { type Activity } from '../../kernel/accounts.js';
import { toKobo } from '../../kernel/money.js';
import { DEFAULT_CURRENCY, type ReportDto } from './report.dto.js';
import { type Contribution, type ContributionEvent } from './domain/events.js';
import { ReferenceHash } from './reference-hash.js';
import { CONTRIBUTION_STREAMS } from './domain/contribution.js';
import { Streams } from '../../platform/event-sourcing/writing/stream-writer.js';

export interface RecordedContribution {
  readonly contribution_id: number;
  /** False if the report updated an earlier contribution with the same reference. */
  readonly created: boolean;
}

export type Reporter = Pick<PartnerContext, 'partner_id' | 'account_type' | 'key_id' | 'mode' | 'test_run'>;

/** Appends reports, for the calls with one report and with many. */
@Injectable()
export class ReportRecorder {
  constructor(
    private readonly streams: Streams,
    private readonly references: ReferenceHash,
    private readonly ids: Ids,
    private readonly farmers: FarmerFinder,
    private readonly clock: Clock,
    private readonly writes: ReadYourWrites,
  ) {}

  /**
   * Appends a report, and returns what was recorded. It is in the log then, and `confirm` resolves once later reads show it.
   * @param sent validated for the partner's account type
   * @param operationId names the contribution if the report has no reference. A report that runs again with the same id creates nothing.
   * @throws Rejection `farmer_unknown`, also for a farmer of the other mode
   */
  async record(
    { partner_id, account_type, key_id, mode, test_run }: Reporter,
    sent: ReportDto,
    operationId: string,
  ): Promise<{ readonly recorded: RecordedContribution; readonly confirm: () => Promise<void> }> {
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
      if (committed.state.status !== 'reported') throw new Error('The stream holds no contribution after a report.');
      return {
        recorded: {
          contribution_id: committed.state.contribution.contribution_id,
          created: fields.partner_reference === null || committed.events[0]?.type === 'ContributionRecorded',
        },
        confirm: () => this.writes.confirm(committed, committed.events.flatMap(subjectsOf), `${CONTRIBUTION_STREAMS.category}-${id}`),
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
