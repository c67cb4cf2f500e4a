/** The test farmers that a lookup returns: name without `rp-test-`, tier and completeness in percent. */
export const TEST_FARMER_TIERS: readonly [name: string, profileTier: string, profileCompleteness: number][] = [
  ['gold', 'gold', 100],
  ['silver', 'silver', 60],
  ['bronze', 'bronze', 35],
  ['no-loans', 'silver', 70],
  ['unverified', 'bronze', 0],
  ['bureau', 'silver', 60],
];
