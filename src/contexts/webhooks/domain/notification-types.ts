import { type Activity } from '../../../kernel/accounts.js';

/** The notification type for each kind of report (decisions, "Webhooks"). */
export const NOTIFICATION_OF_ACTIVITY = {
  loan_disbursed: 'farmer.loan_added',
  loan_repayment: 'farmer.loan_repaid',
  loan_defaulted: 'farmer.loan_defaulted',
  policy_issued: 'farmer.new_insurance_policy',
  claim_filed: 'farmer.claim_filed',
  claim_settled: 'farmer.claim_settled',
  input_purchase: 'farmer.input_purchase',
  harvest_record: 'farmer.harvest_record',
} as const satisfies Readonly<Record<Activity, string>>;

/** The notification types about farmers, in the order of the interface (section 6). */
export const NOTIFICATION_TYPES = [...Object.values(NOTIFICATION_OF_ACTIVITY), 'farmer.credit_score_changed'] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** Returns `event` of the notifications of a type about farmers: the kind of report, or the changed score. */
export function eventOfType(type: string): string {
  const [activity] = Object.entries(NOTIFICATION_OF_ACTIVITY).find(([, notification]) => notification === type) ?? [];
  return activity ?? type.replace('farmer.', '');
}

/** Type of the notification of a balance that fell through its threshold. Only endpoints that name it get it. */
export const LOW_BALANCE_TYPE = 'account.low_balance';

/**
 * Type of the notification of an erasure, for every partner that holds or held a consent. Only endpoints that name it get it. It is the one
 * notification about a farmer that is delivered and listed after the erasure.
 */
export const ERASED_TYPE = 'farmer.erased';

/** The types that `*` does not stand for. */
export const NAMED_TYPES = [LOW_BALANCE_TYPE, ERASED_TYPE] as const;

/** The types that an endpoint may subscribe to by name. */
export const SUBSCRIBABLE_TYPES = [...NOTIFICATION_TYPES, ...NAMED_TYPES] as const;

/** Type of a test notification, which is sent on demand and independent of the endpoint's subscription. */
export const TEST_TYPE = 'webhook.test';

/** Subscribes an endpoint to all events about farmers but their erasure, including types added in the future. */
export const ALL_EVENTS = '*';
