import { type AccountType } from './accounts.js';

/** Activities that a partner may report about a farmer, by the partner's account type (interface, section 4.1). */
export const REPORTABLE_ACTIVITIES = {
  bank: ['loan_disbursed', 'loan_repayment', 'loan_defaulted'],
  insurer: ['policy_issued', 'claim_filed', 'claim_settled'],
  agtech: ['input_purchase', 'harvest_record'],
} as const satisfies Readonly<Record<AccountType, readonly string[]>>;
export type Activity = (typeof REPORTABLE_ACTIVITIES)[AccountType][number];
