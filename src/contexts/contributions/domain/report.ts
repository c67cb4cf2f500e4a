import { isCurrency } from '../../../kernel/currencies.js';
import { ACCOUNT_TYPES, type AccountType } from '../../../kernel/account-types.js';
import { REPORTABLE_ACTIVITIES } from '../../../kernel/activities.js';
import {
  type Bound,
  date,
  dateUntil,
  id,
  integer,
  kobo,
  nullable,
  oneOf,
  outOfBounds,
  refuse,
  requiredText,
  rupaId,
  text,
} from '../../../kernel/bounds.js';
import { MAX_KOBO } from '../../../kernel/money.js';
import { unstorable } from '../../../kernel/storable.js';
import { type Contribution } from './events.js';

export interface Report {
  /** The reported contribution. Its `contribution_id` is for a new contribution; an updated one keeps its own. */
  readonly contribution: Omit<Contribution, 'occurred_at'>;
  /** ISO 8601, UTC. Undefined if the partner did not send it, which means the time of the report. */
  readonly occurred_at: string | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

/** Size of a payload as JSON in UTF-8. */
export const MAX_PAYLOAD_BYTES = 16 * 1024;
/** How far in the future an activity may lie, for partners whose clock is wrong. */
export const MAX_AHEAD_MS = 24 * 60 * 60 * 1_000;
/** A later date is refused because it is in the future, so the form has no limit of its own. */
export const LAST_OCCURRED_YEAR = 9999;
const occurred = dateUntil(LAST_OCCURRED_YEAR);

const BOUNDS: Readonly<Record<string, Bound>> = {
  contribution_id: integer(),
  partner_id: id,
  account_type: oneOf(ACCOUNT_TYPES),
  rupa_id: rupaId,
  currency: (value) => (isCurrency(value) ? undefined : 'must be an ISO 4217 code'),
  amount: nullable(kobo(0, MAX_KOBO)),
  partner_reference: nullable(requiredText()),
  payload: nullable(payloadProblem),
};

/** Refuses what HTTP refuses; validate-report.ts has the sentences for partners. @throws ValidationFailed */
export function assertReportInBounds({ contribution, occurred_at, at }: Report): void {
  const { account_type, event, amount_minor, payload } = contribution;
  refuse({
    ...outOfBounds({ ...contribution, amount: amount_minor }, BOUNDS),
    ...outOfBounds({ event }, { event: oneOf(activitiesOf(account_type)) }),
    ...outOfBounds({ occurred_at }, { occurred_at: nullable((value) => occurred(value) ?? aheadProblem(value as string, at)) }),
    ...unstorable(payload, 'payload'),
    ...outOfBounds(
      { 'payload.loan_reference': event === 'loan_repayment' ? payload?.loan_reference : null },
      { 'payload.loan_reference': nullable(text()) },
    ),
    ...outOfBounds(
      { 'payload.expires_at': event === 'policy_issued' ? payload?.expires_at : null },
      { 'payload.expires_at': nullable(date) },
    ),
  });
}

function activitiesOf(type: AccountType): readonly string[] {
  return Object.hasOwn(REPORTABLE_ACTIVITIES, type) ? REPORTABLE_ACTIVITIES[type] : [];
}

function aheadProblem(occurredAt: string, at: string): string | undefined {
  return Date.parse(occurredAt) > Date.parse(at) + MAX_AHEAD_MS ? 'must not be more than a day in the future' : undefined;
}

function payloadProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return 'must be an object';
  return new TextEncoder().encode(JSON.stringify(value)).length > MAX_PAYLOAD_BYTES
    ? `must not be greater than ${MAX_PAYLOAD_BYTES} bytes as JSON`
    : undefined;
}
