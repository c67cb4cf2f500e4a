import { type FarmerRecord } from '../sections.js';
import {
  BRONZE,
  BUREAU,
  BUSY,
  FAILING,
  GOLD,
  INPUTS_ONLY,
  LIMITED,
  NO_LOANS,
  NO_MONEY,
  NO_REPORTS,
  SEASON,
  SEASON_WITHOUT_HARVEST,
  SEASON_WITHOUT_LOANS,
  SILVER,
  SLOW,
  UNVERIFIED,
} from './records.js';
import { type TestFacts } from './test-farmer.js';

/** A test farmer as it is registered in every service with sandbox partners (decisions, "Sandbox"). */
export interface TestFarmer extends Omit<TestFacts, 'version'> {
  readonly rupa_id: string;
  /** One sentence for partners, for the page and the reference. */
  readonly description: string;
  readonly record: Partial<FarmerRecord>;
  readonly erased: boolean;
}

/** Increase it with every change of a definition: services that were started with a lower version then replace what differs. */
export const DEFINITIONS_VERSION = 2;

const USUAL = { lookups: 'succeed', erased: false } as const;

export const TEST_FARMERS: readonly TestFarmer[] = [
  {
    ...USUAL,
    rupa_id: 'rp-test-gold',
    description: 'Tier gold; every section has content.',
    record: GOLD,
    reports: SEASON,
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-silver',
    description: 'Tier silver: the NIN is not verified, and there is neither satellite data nor a harvest.',
    record: SILVER,
    reports: SEASON_WITHOUT_HARVEST,
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-bronze',
    description: 'Tier bronze: only the phone number and the BVN are verified.',
    record: BRONZE,
    reports: INPUTS_ONLY,
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-no-loans',
    description: 'No loans and no repayments, neither from the service nor from partners.',
    record: NO_LOANS,
    reports: SEASON_WITHOUT_LOANS,
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-unverified',
    description: 'Nothing is verified: `kyc_status` is `pending`, and there is no credit score.',
    record: UNVERIFIED,
    reports: NO_REPORTS,
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-bureau',
    description: '`credit_history` has a credit bureau’s report and costs `passthrough.credit_bureau` in addition.',
    record: BUREAU,
    reports: SEASON_WITHOUT_HARVEST,
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-erased',
    description: 'Erased: lookups and reports get 404 `farmer_not_found`.',
    record: {},
    reports: NO_REPORTS,
    erased: true,
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-failing',
    description: 'Lookups are charged, then fail with 500 `internal_error`; the refund is in the wallet before the response.',
    record: FAILING,
    reports: SEASON_WITHOUT_HARVEST,
    lookups: 'fail',
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-no-money',
    description: 'Lookups get 402 `insufficient_balance` whatever your balance; nothing is charged.',
    record: NO_MONEY,
    reports: SEASON_WITHOUT_HARVEST,
    lookups: 'no_money',
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-limited',
    description: 'Lookups get 429 `rate_limited` with `Retry-After`; nothing is charged.',
    record: LIMITED,
    reports: SEASON_WITHOUT_HARVEST,
    lookups: 'limited',
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-busy',
    description: 'Lookups get 503 `unavailable` with `Retry-After`; nothing is charged.',
    record: BUSY,
    reports: SEASON_WITHOUT_HARVEST,
    lookups: 'busy',
  },
  {
    ...USUAL,
    rupa_id: 'rp-test-slow',
    description: 'Lookups take ten seconds, and are charged as usual.',
    record: SLOW,
    reports: SEASON_WITHOUT_HARVEST,
    lookups: 'slow',
  },
];

/** The test farmers whose lookups get a 5xx. Nobody has to be woken for these. */
export const FAILING_ON_PURPOSE: ReadonlySet<string> = new Set(
  TEST_FARMERS.filter(({ lookups }) => lookups === 'fail' || lookups === 'busy').map(({ rupa_id }) => rupa_id),
);
