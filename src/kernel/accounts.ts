export const ACCOUNT_TYPES = ['bank', 'insurer', 'agtech'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

/** Modes of a partner, whose data never mix (decisions, "Modes"). */
export const MODES = ['live', 'sandbox'] as const;
export type Mode = (typeof MODES)[number];
/** The mode where a caller names none. */
export const DEFAULT_MODE: Mode = 'live';
