import { type AccountType } from '../../../kernel/account-types.js';
import { type Section } from '../../../kernel/section-names.js';

/** Sections that every partner of an account type may read (interface 5.7; decisions, "Sections"). */
export const MANDATORY_SECTIONS: Readonly<Record<AccountType, readonly Section[]>> = {
  bank: ['identity', 'bvn_nin_data', 'credit_history', 'outstanding_loans', 'transaction_volume'],
  insurer: ['identity', 'bvn_nin_data', 'farms', 'underwriting_value'],
  agtech: ['identity', 'farms', 'socioeconomic_profile'],
};
