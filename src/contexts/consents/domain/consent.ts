import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type ConsentEvent } from './events.js';

/** Callers match on these codes, so they must not change. */
export type ConsentRejectionCode = 'consent_unknown';
export class ConsentRejection extends Rejection<ConsentRejectionCode> {}

export interface ReleaseConsent {
  readonly partner_id: string;
  readonly rupa_id: string;
  /** Identifies the consent that the partner releases: `granted_revision` of the roster's entry. */
  readonly granted_revision: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export interface ConsentState {
  /** `granted_revision` of the consent that was released last; -1 if none was. */
  readonly released_revision: number;
}

/** Decides the releases of one farmer by one partner. A second release of the same consent is rejected (interface, section 4.5). */
export const consentDecider: Decider<ConsentState, ReleaseConsent, ConsentEvent> = {
  initialState: { released_revision: -1 },
  decide: ({ partner_id, rupa_id, granted_revision, at, actor }, { released_revision }) => {
    if (granted_revision <= released_revision) throw new ConsentRejection('consent_unknown');
    return [{ type: 'ConsentReleased', data: { partner_id, rupa_id, granted_revision, recorded_at: at, actor } }];
  },
  evolve: (_state, { data }) => ({ released_revision: data.granted_revision }),
};

/** One stream per partner and farmer. */
export const CONSENT_STREAMS: StreamKind<ConsentState, ReleaseConsent, ConsentEvent> = {
  ...SHORT_STREAM,
  category: 'consent',
  decider: consentDecider,
};
