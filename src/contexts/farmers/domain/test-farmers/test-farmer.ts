import { type ReportedGoods, type ReportedItem, type ReportedLoan, type ReportedPolicy } from '../reported-item.js';

/** Rupa IDs with this prefix are for the sandbox's test farmers. Nobody can register another farmer with such an id. */
const RESERVED_PREFIX = 'rp-test-';

export function isReservedForTests(rupaId: string): boolean {
  return rupaId.startsWith(RESERVED_PREFIX);
}

/** The reported items that lookups of a test farmer always show, newest first, besides those that the caller reported. */
export interface SampleReports {
  readonly loans: readonly ReportedLoan[];
  readonly repayments: readonly ReportedItem[];
  readonly policies: readonly ReportedPolicy[];
  readonly harvests: readonly ReportedGoods[];
  readonly input_purchases: readonly ReportedGoods[];
}

/**
 * The outcome of lookups of a test farmer (decisions, "Sandbox"). `fail`: 500 after the charge, which is refunded before the response; `no_money`:
 * 402 whatever the balance; `limited`: 429; `busy`: 503; `slow`: 200 after ten seconds.
 */
export type TestLookups = 'succeed' | 'fail' | 'no_money' | 'limited' | 'busy' | 'slow';

/** The facts that make a farmer a test farmer. */
export interface TestFacts {
  /** Version of the definitions that the farmer's record comes from. A lower version never replaces a higher one. */
  readonly version: number;
  readonly lookups: TestLookups;
  readonly reports: SampleReports;
}
