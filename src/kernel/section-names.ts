/** The sections of a farmer's record, in the order in which a lookup shows them (interface 2.5). */
export const SECTIONS = [
  'identity',
  'bvn_nin_data',
  'credit_history',
  'outstanding_loans',
  'transaction_volume',
  'farms',
  'underwriting_value',
  'wallet',
  'socioeconomic_profile',
] as const;
export type Section = (typeof SECTIONS)[number];
