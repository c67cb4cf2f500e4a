import { validateBody } from '../../http/validation.js';
import { date, sentenceOf } from '../../kernel/bounds.js';
import { type AccountType } from '../../kernel/account-types.js';
import { REPORTABLE_ACTIVITIES, type Activity } from '../../kernel/activities.js';
import { toKobo } from '../../kernel/money.js';
import { ReportDto } from './contributions.dto.js';
import { type Contribution } from './domain/events.js';
import { MAX_AHEAD_MS } from './domain/report.js';

/** A valid report, in the form that is recorded. */
export type ValidatedReport = Omit<Contribution, 'contribution_id' | 'partner_id' | 'account_type' | 'occurred_at'> & {
  /** ISO 8601, UTC; undefined if the partner did not send it. */
  readonly occurred_at: string | undefined;
};

const MAX_REFERENCE = 255;

/** Validates and converts the body of a report (interface, section 4.1; decisions, "Contributions"). @throws ValidationFailed */
export function validateReport(body: unknown, accountType: AccountType, now: Date): ValidatedReport {
  const allowed: readonly string[] = REPORTABLE_ACTIVITIES[accountType];
  const { rupa_id, event, amount, currency, partner_reference, occurred_at, payload } = validateBody(ReportDto, body, (report) => ({
    ...(allowed.includes(report.event) ? {} : { event: [`The event field must be one of ${allowed.join(', ')}.`] }),
    ...futureErrors(report.occurred_at, now),
    ...payloadErrors(report),
  }));
  return {
    rupa_id,
    event: event as Activity,
    amount_minor: amount == null ? null : toKobo(amount),
    currency: currency ?? 'NGN',
    partner_reference: partner_reference ?? null,
    occurred_at: occurred_at == null ? undefined : new Date(occurred_at).toISOString(),
    payload: payload ?? null,
  };
}

function futureErrors(occurredAt: unknown, now: Date): Record<string, string[]> {
  if (typeof occurredAt !== 'string' || !(Date.parse(occurredAt) > now.getTime() + MAX_AHEAD_MS)) return {};
  return { occurred_at: ['The occurred at field must not be more than a day in the future.'] };
}

/** Checks the payload fields that the service reads. A policy with an unreadable `expires_at` would never end. */
function payloadErrors({ event, payload }: ReportDto): Record<string, string[]> {
  const { expires_at, loan_reference } = payload ?? {};
  const endProblem = event === 'policy_issued' && expires_at != null ? date(expires_at) : undefined;
  if (endProblem !== undefined) return { 'payload.expires_at': [sentenceOf('payload.expires_at', endProblem)] };
  if (
    event === 'loan_repayment' &&
    loan_reference != null &&
    !(typeof loan_reference === 'string' && loan_reference.length <= MAX_REFERENCE)
  ) {
    return { 'payload.loan_reference': [`The payload.loan reference field must be a string of at most ${MAX_REFERENCE} characters.`] };
  }
  return {};
}
