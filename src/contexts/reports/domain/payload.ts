import { type Activity } from '../../../kernel/accounts.js';
import { canonicalDate } from '../../../kernel/iso-8601.js';
import { isLonger, MAX_TEXT } from '../../../kernel/storable.js';

/** The fields of the otherwise free-form `payload` that the service reads (docs/partners/reports.md). */
export interface KnownPayload {
  /** The `partner_reference` of the loan that a repayment belongs to. */
  readonly loan_reference: string | null;
  /** The end of a policy, in ISO 8601, UTC. */
  readonly expires_at: string | null;
  /** The goods that were harvested or purchased. */
  readonly goods: { readonly item: string | null; readonly quantity: number | null; readonly unit: string | null } | null;
}

const TIME = /^(?:19|20|21)\d\d-/;

/** Returns the fields that the service reads from an event's payload. A field is null if it is missing or has the wrong type. */
export function knownPayload(event: Activity, payload: Readonly<Record<string, unknown>> | null): KnownPayload {
  const goods = event === 'harvest_record' || event === 'input_purchase';
  return {
    loan_reference: event === 'loan_repayment' ? text(payload?.loan_reference) : null,
    expires_at: event === 'policy_issued' ? time(payload?.expires_at) : null,
    goods: goods && payload ? { item: text(payload.item), quantity: number(payload.quantity), unit: text(payload.unit) } : null,
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && !isLonger(value, MAX_TEXT) ? value.trim() : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function time(value: unknown): string | null {
  const canonical = typeof value === 'string' ? canonicalDate(value) : '';
  if (!TIME.test(canonical) || Number.isNaN(Date.parse(canonical))) return null;
  return new Date(canonical).toISOString();
}
