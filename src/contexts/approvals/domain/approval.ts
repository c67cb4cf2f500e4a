import { canonicalize } from 'json-canonicalize';
import { hash } from 'node:crypto';
import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { areSamePerson, type ApprovableCall, type ApprovalEvent, type ApprovalKind } from './events.js';

const DAY_MS = 86_400_000;
/** Days after which an approval that nobody gave has expired (finance, "Four eyes"). */
export const DAYS_TO_APPROVE = 7;

/** Callers match on these codes, so they must not change. */
export type ApprovalRejectionCode =
  | 'approval_unknown'
  | 'approval_ended'
  | 'approval_differs'
  | 'approval_rejected'
  | 'approval_expired'
  | 'approval_granted'
  | 'approval_obsolete'
  | 'approver_is_requester'
  | 'approver_unnamed';
export class ApprovalRejection extends Rejection<ApprovalRejectionCode> {}

export interface ApprovalState extends ApprovableCall {
  readonly approval_id: string;
  readonly requested_by: string;
  /** ISO 8601, UTC. */
  readonly expires_at: string;
  /** The second person; undefined before the decision. */
  readonly granted_by?: string;
  readonly ended?: 'rejected' | 'executed';
}

/** A call waits for a second person, whether since now or before. It is no failure: HTTP responds with 202. */
export class ApprovalWaits extends Error {
  override name = 'ApprovalWaits';

  constructor(readonly approval: Pick<ApprovalState, 'approval_id' | 'expires_at'>) {
    super(`The call waits for the approval of a second person: ${approval.approval_id}, until ${approval.expires_at}.`);
  }
}

interface By {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type ApprovalCommand = By &
  (
    | { readonly kind: 'request'; readonly approval_id: string; readonly request: ApprovableCall }
    | { readonly kind: 'grant' }
    | { readonly kind: 'reject'; readonly reason: string }
    | { readonly kind: 'execute' }
  );

/** The states that a list of approvals shows. */
export const APPROVAL_STATUSES = ['pending', 'executed', 'rejected', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** Returns the status at a time (ISO 8601, UTC). One that was granted and not executed is pending, or has expired. */
export function statusAt({ ended, expires_at }: Pick<ApprovalState, 'ended' | 'expires_at'>, at: string): ApprovalStatus {
  return ended ?? (at < expires_at ? 'pending' : 'expired');
}

/**
 * Returns the name of a person whom a token or an OpenID provider has identified; undefined without one. A name that a command takes from
 * its environment proves nothing.
 */
export function personOf(actor: string): string | undefined {
  return actor.startsWith('admin:') ? actor.slice('admin:'.length) : undefined;
}

/**
 * Returns the id of an approval, a UUID: that of the first approval of a subject, or of a later one after so many that ended. Calls that come
 * at the same time get the same id, so that one stream decides between them.
 */
export function approvalIdOf(subject: string, ended: number): string {
  const hex = hash('sha256', `approval\n${subject}\n${ended}`);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

/** The kinds whose references are one space in a wallet. */
const WALLET_KINDS: ReadonlySet<ApprovalKind> = new Set(['credit', 'reversal', 'payout']);

/**
 * Returns what tells an approval from others: the reference in its wallet, which credits, reversals and payouts share; the lookup that is
 * compensated; the reference of a ledger entry in its mode; or the whole content of a price book.
 */
export function subjectOf({ kind, partner_id, reference, call }: ApprovableCall): string {
  const space = reference !== null && WALLET_KINDS.has(kind) ? 'wallet' : kind;
  return canonicalize([space, partner_id, reference ?? call]);
}

/** Decides on one approval. A repeated command changes nothing. */
export const approvalDecider: Decider<ApprovalState | null, ApprovalCommand, ApprovalEvent> = {
  initialState: null,
  decide: (command, state) => {
    if (command.kind === 'request') return request(command, state);
    if (!state) throw new ApprovalRejection('approval_unknown');
    const data = { approval_id: state.approval_id, recorded_at: command.at, actor: command.actor };
    switch (command.kind) {
      case 'grant':
        return grant(command, state) ? [{ type: 'ApprovalGranted', data }] : [];
      case 'reject':
        return reject(command, state) ? [{ type: 'ApprovalRejected', data: { ...data, reason: command.reason } }] : [];
      case 'execute':
        if (state.granted_by === undefined || state.ended === 'rejected') throw new ApprovalRejection('approval_unknown');
        return state.ended ? [] : [{ type: 'ApprovalExecuted', data }];
    }
  },
  evolve: (state, { type, data }) => {
    if (type === 'ApprovalRequested') {
      const { actor: requested_by, recorded_at: _, ...requested } = data;
      return { ...requested, requested_by };
    }
    if (!state) return null;
    if (type === 'ApprovalGranted') return { ...state, granted_by: data.actor };
    return { ...state, ended: type === 'ApprovalRejected' ? 'rejected' : 'executed' };
  },
};

/** @throws Rejection `approval_ended` if another approval of the subject has to begin, `approval_differs` if another content waits */
function request(
  { approval_id, request: requested, at, actor }: Extract<ApprovalCommand, { kind: 'request' }>,
  state: ApprovalState | null,
): readonly ApprovalEvent[] {
  if (!state) {
    const expires_at = new Date(Date.parse(at) + DAYS_TO_APPROVE * DAY_MS).toISOString();
    return [{ type: 'ApprovalRequested', data: { approval_id, ...requested, expires_at, recorded_at: at, actor } }];
  }
  if (statusAt(state, at) !== 'pending') throw new ApprovalRejection('approval_ended');
  if (contentOf(state) !== contentOf(requested)) throw new ApprovalRejection('approval_differs');
  return [];
}

/** Returns the call without the reason, which tells no two calls of one reference apart. */
function contentOf({ kind, call: { reason: _, ...content } }: ApprovableCall): string {
  return canonicalize({ kind, ...content });
}

/** Returns whether it is granted now, and false if it was before. */
function grant({ at, actor }: By, state: ApprovalState): boolean {
  if (state.ended === 'executed') return false;
  assertOpen(state, at);
  assertSecondPerson(actor, state);
  return state.granted_by === undefined;
}

/** @throws Rejection `approver_unnamed`, `approver_is_requester` */
function assertSecondPerson(actor: string, { requested_by }: ApprovalState): void {
  const [approver, requester] = [personOf(actor), personOf(requested_by)];
  if (approver === undefined || requester === undefined) throw new ApprovalRejection('approver_unnamed');
  if (areSamePerson(approver, requester)) throw new ApprovalRejection('approver_is_requester');
}

/** @throws Rejection `approval_granted`: the call may be executed at this moment, or was before its process ended */
function reject({ at }: By, state: ApprovalState): boolean {
  if (state.ended === 'rejected') return false;
  if (state.ended === 'executed' || state.granted_by !== undefined) throw new ApprovalRejection('approval_granted');
  assertOpen(state, at);
  return true;
}

/** @throws Rejection `approval_rejected`, `approval_expired` */
function assertOpen(state: ApprovalState, at: string): void {
  if (state.ended === 'rejected') throw new ApprovalRejection('approval_rejected');
  // A call that was granted in time may have been executed in time, too, which the next approval finds out and records.
  if (state.granted_by === undefined && statusAt(state, at) === 'expired') throw new ApprovalRejection('approval_expired');
}

export const APPROVAL_STREAMS: StreamKind<ApprovalState | null, ApprovalCommand, ApprovalEvent> = {
  ...SHORT_STREAM,
  category: 'approval',
  decider: approvalDecider,
};
