import { type ContributionState, type Report } from '../../src/contexts/reports/domain/contribution.js';
import { type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { REPORTABLE_ACTIVITIES, type Activity } from '../../src/kernel/accounts.js';
import { CROPS } from '../../src/cli/demo/names.js';
import { type Draws } from './draws.js';
import { emptyHead, KINDS } from './kinds.js';
import { type Numbering } from './numbering.js';
import { type Caller } from './partners.js';
import { type Population } from './population.js';
import { type Round } from './round.js';

/** Returns the part of a contribution's stream name that depends on the partner's reference. */
export type NameOf = (partnerId: string, reference: string) => string;

interface RecentReport {
  readonly caller: Caller;
  readonly name: string;
  readonly head: Head<ContributionState>;
  readonly contribution: Report['contribution'];
}

/** Number of the newest reports in memory. Only these are corrected, because corrections come soon after the report. */
const RECENT_REPORTS = 1_024;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Generates reports of partners on farmers, and corrections of them. */
export class Reports {
  private readonly newest: RecentReport[] = [];
  private made = 0;

  constructor(
    private readonly draw: Draws,
    private readonly population: Population,
    private readonly numbering: Numbering,
    private readonly nameOf: NameOf,
  ) {}

  report(round: Round, caller: Caller): void {
    if (this.population.count(caller.mode) === 0) return;
    const { draw } = this;
    const { partner_id, account_type, newestLoan } = caller;
    const event = draw.pick<Activity>(REPORTABLE_ACTIVITIES[account_type]);
    const rupa_id = event === 'loan_repayment' && newestLoan ? newestLoan.rupa_id : this.pickFarmer(caller);
    if (this.population.isErased(rupa_id)) return;
    this.made += 1;
    const partner_reference = draw.chance(0.92) ? `${event}-${this.made}` : null;
    const contribution_id = this.numbering.next(round, 'contribution');
    const fields = { rupa_id, event, currency: 'NGN', amount_minor: draw.chance(0.95) ? this.amount() : null, partner_reference };
    const contribution = { ...fields, contribution_id, partner_id, account_type, payload: this.payload(event, caller, round.now()) };
    if (event === 'loan_disbursed' && partner_reference !== null) caller.newestLoan = { rupa_id, reference: partner_reference };
    const name = partner_reference === null ? draw.uuid() : this.nameOf(partner_id, partner_reference);
    const head = this.decide(round, caller, name, emptyHead(KINDS.contribution), contribution);
    if (partner_reference !== null) this.newest[this.made % RECENT_REPORTS] = { caller, name, head, contribution };
  }

  /** Corrects the amount or the farmer of a recent report. */
  correct(round: Round): void {
    const index = this.draw.integer(0, RECENT_REPORTS - 1);
    const found = this.newest[index];
    if (!found) return;
    const { caller, name } = found;
    const corrected = this.draw.chance(0.3) ? { rupa_id: this.pickFarmer(caller) } : { amount_minor: this.amount() };
    if (this.population.isErased(corrected.rupa_id ?? found.contribution.rupa_id)) return;
    // Like in the service, a report takes an id before it turns out to be a correction.
    const contribution_id = this.numbering.next(round, 'contribution');
    const contribution = { ...found.contribution, ...corrected, contribution_id };
    this.newest[index] = { caller, name, contribution, head: this.decide(round, caller, name, found.head, contribution) };
  }

  private decide(
    round: Round,
    { key_id, mode }: Caller,
    name: string,
    head: Head<ContributionState>,
    contribution: Report['contribution'],
  ): Head<ContributionState> {
    const at = round.now();
    const occurred_at = this.draw.chance(0.6) ? new Date(Date.parse(at) - this.draw.integer(0, 90) * DAY_MS).toISOString() : undefined;
    const report = { contribution, is_about_test_farmer: false, test_run: 0, occurred_at, at, actor: `key:${key_id}` };
    return round.decide(KINDS.contribution, `${contribution.partner_id}-${name}`, head, report, { correlationId: this.draw.uuid(), mode });
  }

  /** Returns a random farmer, mostly one that the partner has looked up. */
  private pickFarmer({ mode, asked, first, stride }: Caller): string {
    const known = asked > 0 && this.draw.chance(0.8);
    return this.population.rupaId(
      mode,
      known ? first + stride * this.draw.integer(0, asked - 1) : this.draw.integer(0, this.population.count(mode) - 1),
    );
  }

  private amount(): number {
    return this.draw.integer(5, 500) * 1_000_00;
  }

  private payload(event: Activity, { newestLoan }: Caller, at: string): Report['contribution']['payload'] {
    const { draw } = this;
    switch (event) {
      case 'loan_disbursed':
        return { tenor_months: draw.integer(3, 24), product: draw.pick(['input loan', 'season loan', 'equipment']) };
      case 'loan_repayment':
        return newestLoan ? { loan_reference: newestLoan.reference } : null;
      case 'policy_issued':
        return { expires_at: new Date(Date.parse(at) + 365 * DAY_MS).toISOString(), cover: draw.pick(['drought', 'flood', 'livestock']) };
      case 'input_purchase':
        return { item: draw.pick(['NPK fertiliser', 'seed maize', 'herbicide', 'sprayer']), quantity: draw.integer(1, 40), unit: 'bags' };
      case 'harvest_record':
        return { item: draw.pick(CROPS.middle), quantity: draw.integer(2, 80) / 10, unit: 't' };
      case 'loan_defaulted':
      case 'claim_filed':
      case 'claim_settled':
        return null;
    }
  }
}
