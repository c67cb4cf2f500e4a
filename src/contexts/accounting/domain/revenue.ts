/** Groups of the revenue, which a report may combine (finance, "Reports"). */
export const REVENUE_GROUPS = ['section', 'partner', 'month', 'day'] as const;
export type RevenueGroup = (typeof REVENUE_GROUPS)[number];

/** The revenue of one group, which has the fields that it is grouped by. Fees that are passed through to providers are none of it. */
export interface Revenue extends Readonly<Partial<Record<RevenueGroup, string>>> {
  /** Number of the charges, whatever became of them. */
  readonly lookups: number;
  /** Income after what was given back, in integer kobo. */
  readonly net_kobo: bigint;
  /** VAT after what was given back, in integer kobo. */
  readonly vat_kobo: bigint;
  /** Income and VAT that refunds and compensations gave back, in integer kobo. */
  readonly refunds_kobo: bigint;
}

/** Parses the value of `by`, such as `section,month`; undefined if it names a group twice, or one that does not exist. */
export function parseRevenueGroups(by: string): readonly RevenueGroup[] | undefined {
  const groups = by.split(',').map((each) => each.trim());
  return areRevenueGroups(groups) ? groups : undefined;
}

/** Returns whether a value is a list of groups, each once. Their names become a part of a statement. */
export function areRevenueGroups(value: unknown): value is readonly RevenueGroup[] {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size !== value.length) return false;
  return value.every((each) => REVENUE_GROUPS.some((group) => group === each));
}
