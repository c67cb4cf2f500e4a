import { type Section } from '../../farmers/domain/farmer-record.js';

export const ACCOUNT_TYPES = ['bank', 'insurer', 'agtech'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

export const MODES = ['live', 'sandbox'] as const;
export type Mode = (typeof MODES)[number];

/** Interface 5.7; decisions, "Sections". */
export const MANDATORY_SECTIONS: Readonly<Record<AccountType, readonly Section[]>> = {
  bank: ['identity', 'bvn_nin_data', 'credit_history', 'outstanding_loans', 'transaction_volume'],
  insurer: ['identity', 'bvn_nin_data', 'farms', 'underwriting_value'],
  agtech: ['identity', 'farms', 'socioeconomic_profile'],
};

/** Interface 4.1. */
export const CONTRIBUTION_EVENTS = {
  bank: ['loan_disbursed', 'loan_repayment', 'loan_defaulted'],
  insurer: ['policy_issued', 'claim_filed', 'claim_settled'],
  agtech: ['input_purchase', 'harvest_record'],
} as const satisfies Readonly<Record<AccountType, readonly string[]>>;
export type ReportedEvent = (typeof CONTRIBUTION_EVENTS)[AccountType][number];
