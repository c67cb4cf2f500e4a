import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { type ConsentEvent } from './events.js';
import { ConsentRejection } from './rejections.js';

export interface ReleaseConsent {
  readonly partner_id: string;
  readonly rupa_id: string;
  /** Of the roster's entry: which consent the partner saw when it released it. */
  readonly granted_revision: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export interface ConsentState {
  /** -1: none was released yet. */
  readonly released_revision: number;
}

/** One partner's releases of one farmer. Whoever comes second with the same consent finds it gone (interface 4.5). */
export const consentDecider: Decider<ConsentState, ReleaseConsent, ConsentEvent> = {
  initialState: { released_revision: -1 },
  decide: ({ partner_id, rupa_id, granted_revision, at, actor }, { released_revision }) => {
    if (granted_revision <= released_revision) throw new ConsentRejection('consent_unknown');
    return [{ type: 'ConsentReleased', data: { partner_id, rupa_id, granted_revision, recorded_at: at, actor } }];
  },
  evolve: (_state, { data }) => ({ released_revision: data.granted_revision }),
};
