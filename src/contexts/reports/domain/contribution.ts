import { canonicalize } from 'json-canonicalize';
import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type Contribution, type ContributionEvent } from './events.js';

export interface Report {
  /** The reported contribution. Its `contribution_id` is for a new contribution; an updated one keeps its own. */
  readonly contribution: Omit<Contribution, 'occurred_at'>;
  /** ISO 8601, UTC. Undefined if the partner did not send it, which means the time of the report. */
  readonly occurred_at: string | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type ContributionState = { readonly status: 'unreported' } | { readonly status: 'reported'; readonly contribution: Contribution };

/** A known reference updates its contribution, and an identical report changes nothing (interface, section 4.1, rule 4). */
function decide({ contribution, occurred_at, at, actor }: Report, state: ContributionState): readonly ContributionEvent[] {
  const data = { ...contribution, occurred_at: occurred_at ?? at, recorded_at: at, actor };
  if (state.status === 'unreported') return [{ type: 'ContributionRecorded', data }];
  const known = state.contribution;
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
  return { contribution_id, partner_id, account_type, rupa_id, event, currency, occurred_at, amount_minor, partner_reference, payload };
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
