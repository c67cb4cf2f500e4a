export const ACCOUNT_TYPES = ['bank', 'insurer', 'agtech'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

/** Modes of a partner, whose data never mix (decisions, "Modes"). */
export const MODES = ['live', 'sandbox'] as const;
export type Mode = (typeof MODES)[number];
/** The mode where a caller names none. */
export const DEFAULT_MODE: Mode = 'live';

/** Activities that a partner may report about a farmer, by the partner's account type (interface, section 4.1). */
export const REPORTABLE_ACTIVITIES = {
  bank: ['loan_disbursed', 'loan_repayment', 'loan_defaulted'],
  insurer: ['policy_issued', 'claim_filed', 'claim_settled'],
  agtech: ['input_purchase', 'harvest_record'],
} as const satisfies Readonly<Record<AccountType, readonly string[]>>;
export type Activity = (typeof REPORTABLE_ACTIVITIES)[AccountType][number];
