/** The Rupa IDs of the test farmers, whom every service with sandbox accounts has. Their data never changes. Only sandbox keys see them. */
export const TEST_FARMERS = {
  /** Has the profile tier `gold`. */
  gold: 'rp-test-gold',
  /** Has the profile tier `silver`. */
  silver: 'rp-test-silver',
  /** Has the profile tier `bronze`. */
  bronze: 'rp-test-bronze',
  /** Has no loans. */
  noLoans: 'rp-test-no-loans',
  /** Has nothing verified; `kyc_status` is `pending`. */
  unverified: 'rp-test-unverified',
  /** Has a credit bureau's report, which a lookup of `credit_history` is charged for. */
  bureau: 'rp-test-bureau',
  /** Was erased: lookups and reports fail with `FarmerNotFoundError`. */
  erased: 'rp-test-erased',
  /** Fails inside the service: a lookup is charged, fails with `InternalError`, and is refunded at once. */
  failing: 'rp-test-failing',
  /** Fails with `InsufficientBalanceError` whatever the balance. Nothing is charged. */
  noMoney: 'rp-test-no-money',
  /** Fails with `RateLimitedError`, again at each retry. Nothing is charged. */
  limited: 'rp-test-limited',
  /** Fails with `UnavailableError`, again at each retry. Nothing is charged. */
  busy: 'rp-test-busy',
  /** Takes ten seconds, and is charged as usual. */
  slow: 'rp-test-slow',
} as const;
