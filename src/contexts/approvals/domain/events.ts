import { type Mode } from '../../../kernel/accounts.js';

interface Recorded {
  readonly approval_id: string;
  readonly recorded_at: string;
  readonly actor: string;
}

/** Calls that a second person may have to approve. A new kind has one entry here, and a handler that registers it with FourEyes. */
export const APPROVAL_KINDS = [
  'credit',
  'reversal',
  'payout',
  'compensation',
  'ledger_entry',
  'price_publication',
  'price_schedule',
] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** The call itself as it was checked, and what a person needs to know of it. */
export interface ApprovableCall {
  readonly kind: ApprovalKind;
  readonly mode: Mode;
  /** Null for prices and ledger entries. */
  readonly partner_id: string | null;
  /** Integer kobo; null for prices, which always need a second person. */
  readonly amount_kobo: number | null;
  /** The call's idempotency key: a reference, or the id of a lookup; null for prices. */
  readonly reference: string | null;
  /** The call as its handler takes it again. */
  readonly call: Readonly<Record<string, unknown>>;
}

/** Events of `approval-{approvalId}` (finance, "Four eyes"). An expired approval has no event: it follows from the time. */
export type ApprovalEvent =
  | {
      readonly type: 'ApprovalRequested';
      readonly data: Recorded &
        ApprovableCall & {
          /** ISO 8601, UTC. */
          readonly expires_at: string;
        };
    }
  /** The second person's decision. The call is executed after it, and not if it does not hold any more. */
  | { readonly type: 'ApprovalGranted'; readonly data: Recorded }
  | { readonly type: 'ApprovalRejected'; readonly data: Recorded & { readonly reason: string } }
  /** The call was executed; its own event names the approval. */
  | { readonly type: 'ApprovalExecuted'; readonly data: Recorded };

/** Fields of an event that a second person approved; absent in others. */
export interface Approved {
  readonly approval_id?: string;
  /** The actor of the second person. */
  readonly approved_by?: string;
}

/** The approval that a command executes. */
export type Approval = Required<Approved>;

/** Returns whether two names belong to one person, as far as names tell: case and the form of letters make no difference. */
export function areSamePerson(one: string, other: string): boolean {
  const [first, second] = [one, other].map((name) => name.normalize('NFKC').toLowerCase());
  return first === second;
}

/** The event of `approvallimit-main`: the amount above which a second person is needed, as the API that started last has it. */
export type ApprovalLimitSet = {
  readonly type: 'ApprovalLimitSet';
  readonly data: {
    /** Integer kobo; null if nothing needs a second person. */
    readonly limit_kobo: number | null;
    readonly recorded_at: string;
    readonly actor: string;
  };
};
