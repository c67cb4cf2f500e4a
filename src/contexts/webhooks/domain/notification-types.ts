import { type Activity } from '../../../kernel/activities.js';

/** Decisions, "Webhooks": what a report that is created notifies of. */
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

/** Interface 6, in its order. */
export const NOTIFICATION_TYPES = [...Object.values(NOTIFICATION_OF_ACTIVITY), 'farmer.credit_score_changed'] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** Sent on demand, to whatever the endpoint is subscribed. */
export const TEST_TYPE = 'webhook.test';

/** All events, also those that are yet to come. */
export const ALL = '*';
