import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type ApprovalLimitSet } from './events.js';

interface SetLimit {
  readonly limit_kobo: number | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

/** Decides on the amount above which a second person is needed: integer kobo, null for off. Setting the same one again changes nothing. */
export const approvalLimitDecider: Decider<number | null, SetLimit, ApprovalLimitSet> = {
  initialState: null,
  decide: ({ limit_kobo, at, actor }, state) =>
    limit_kobo === state ? [] : [{ type: 'ApprovalLimitSet', data: { limit_kobo, recorded_at: at, actor } }],
  evolve: (_state, { data: { limit_kobo } }) => limit_kobo,
};

/** The stream id of the only limit. */
export const APPROVAL_LIMIT_ID = 'main';

export const APPROVAL_LIMIT_STREAMS: StreamKind<number | null, SetLimit, ApprovalLimitSet> = {
  ...SHORT_STREAM,
  category: 'approvallimit',
  decider: approvalLimitDecider,
};
