import { type AccountType } from './accounts.js';

/**
 * The sections of a farmer's record in the order of a lookup's response (interface, section 2.5), each with the account types whose
 * partners may always read it (interface, section 5.7; decisions, "Sections"). An administrator may grant a partner other sections.
 */
export const MANDATORY_FOR = {
  identity: ['bank', 'insurer', 'agtech'],
  bvn_nin_data: ['bank', 'insurer'],
  credit_history: ['bank'],
  outstanding_loans: ['bank'],
  transaction_volume: ['bank'],
  farms: ['insurer', 'agtech'],
  underwriting_value: ['insurer'],
  wallet: [],
  socioeconomic_profile: ['agtech'],
} as const satisfies Readonly<Record<string, readonly AccountType[]>>;

export type Section = keyof typeof MANDATORY_FOR;

export const SECTIONS = Object.keys(MANDATORY_FOR) as readonly Section[];
