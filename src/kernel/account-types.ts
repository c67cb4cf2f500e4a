export const ACCOUNT_TYPES = ['bank', 'insurer', 'agtech'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];
