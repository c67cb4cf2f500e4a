import { canonicalize } from 'json-canonicalize';
import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type Contribution, type ContributionEvent } from './events.js';

export interface Report {
  /** The reported contribution. Its `contribution_id` is for a new contribution; an updated one keeps its own. */
  readonly contribution: Omit<Contribution, 'occurred_at' | 'test_run'>;
  readonly is_about_test_farmer: boolean;
  /** How often the partner's account was reset. */
  readonly test_run: number;
  /** ISO 8601, UTC. Undefined if the partner did not send it, which means the time of the report. */
  readonly occurred_at: string | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type ContributionState = { readonly status: 'unreported' } | { readonly status: 'reported'; readonly contribution: Contribution };

/**
 * A known reference updates its contribution, and an identical report changes nothing (interface, section 4.1, rule 4). A reset frees the
 * references of reports about test farmers (decisions, "Sandbox").
 */
function decide(report: Report, state: ContributionState): readonly ContributionEvent[] {
  const { occurred_at, at, actor } = report;
  const known = state.status === 'reported' ? state.contribution : undefined;
  // Another instance may know of a later reset.
  const test_run = Math.max(report.test_run, known?.test_run ?? 0);
  const contribution = { ...report.contribution, ...(report.is_about_test_farmer && { test_run }) };
  const data = { ...contribution, occurred_at: occurred_at ?? at, recorded_at: at, actor };
  if (!known || (known.test_run ?? test_run) < test_run) return [{ type: 'ContributionRecorded', data }];
  const { contribution_id } = known;
  const reported = { ...contribution, contribution_id, occurred_at: occurred_at ?? known.occurred_at };
  if (canonicalize(reported) === canonicalize(known)) return [];
  return [{ type: 'ContributionUpdated', data: { ...data, contribution_id, previous_rupa_id: known.rupa_id } }];
}

function evolve(_state: ContributionState, event: ContributionEvent): ContributionState {
  switch (event.type) {
    case 'ContributionRecorded':
    case 'ContributionUpdated':
      return { status: 'reported', contribution: contributionOf(event.data) };
  }
}

/** Returns the contribution without the fields that describe the event itself. */
function contributionOf(data: Contribution): Contribution {
  const { contribution_id, partner_id, account_type, rupa_id, event, currency, occurred_at, amount_minor, partner_reference, payload } =
    data;
  const reported = { contribution_id, partner_id, account_type, rupa_id, event, currency, occurred_at, amount_minor, partner_reference };
  return { ...reported, payload, ...(data.test_run !== undefined && { test_run: data.test_run }) };
}

export const contributionDecider: Decider<ContributionState, Report, ContributionEvent> = {
  initialState: { status: 'unreported' },
  decide,
  evolve,
};

/** One stream per contribution, named by its partner and its hashed reference. */
export const CONTRIBUTION_STREAMS: StreamKind<ContributionState, Report, ContributionEvent> = {
  ...SHORT_STREAM,
  category: 'contribution',
  usuallyNew: true,
  decider: contributionDecider,
};
