import {
  type ReportedGoods,
  type ReportedItem,
  type ReportedLoan,
  type ReportedPolicy,
} from '../../src/contexts/farmers/domain/reported-item.js';
import { type RowChange } from '../../src/platform/projecting/derived.js';
import { type ContributionRow } from '../contribution/contribution-table.js';

export type Activity = ContributionRow['event'];

/** Number of items that a list shows, newest first; sums cover all items (decisions, "Sections"). */
export const MAX_LISTED = 100;

/** Returns what a list shows of a report. */
export function itemOf({ contribution_id, account_type, amount_minor, currency, occurred_at }: ContributionRow): ReportedItem {
  return { contribution_id, account_type, amount_minor, currency, occurred_at: iso(occurred_at) };
}

export function goodsOf(row: ContributionRow): ReportedGoods {
  return { ...itemOf(row), goods: row.goods };
}

export function policyOf(row: ContributionRow): ReportedPolicy {
  return { ...itemOf(row), expires_at: row.expires_at === null ? null : iso(row.expires_at) };
}

/** @param repaid what was repaid of the loan, in hundredths of its currency */
export function loanOf(row: ContributionRow, repaid: bigint): ReportedLoan {
  return { ...itemOf(row), outstanding_minor: Number(outstandingOf(row, repaid)) };
}

/** Nothing is outstanding of a loan without an amount. */
export function outstandingOf({ amount_minor }: ContributionRow, repaid: bigint): bigint {
  const outstanding = BigInt(amount_minor ?? 0) - repaid;
  return outstanding > 0n ? outstanding : 0n;
}

/** Returns the newest items, the newest first. */
export function newestOf<Item extends ReportedItem>(items: readonly Item[]): readonly Item[] {
  return items.toSorted(newestFirst).slice(0, MAX_LISTED);
}

export function newestFirst(one: ReportedItem, other: ReportedItem): number {
  return Date.parse(other.occurred_at) - Date.parse(one.occurred_at) || other.contribution_id - one.contribution_id;
}

/** Returns whether the changes make a full list lose an item, so that one that it does not hold takes the place. */
export function losesItem(list: readonly ReportedItem[], changes: readonly RowChange<ContributionRow>[]): boolean {
  if (list.length < MAX_LISTED) return false;
  const changed = changedIn(changes);
  return list.some(({ contribution_id }) => changed.has(contribution_id));
}

/**
 * Returns the newest items after changes by which a full list loses none.
 * @param changes those of reports of the list's activity
 */
export function listAfter<Item extends ReportedItem>(
  list: readonly Item[],
  changes: readonly RowChange<ContributionRow>[],
  show: (row: ContributionRow) => Item,
): readonly Item[] {
  if (changes.length === 0) return list;
  const changed = changedIn(changes);
  const others = list.filter(({ contribution_id }) => !changed.has(contribution_id));
  return newestOf([...others, ...afterAll(changes).map(show)]);
}

/** Returns the rows after the changes. */
export function afterAll(changes: readonly RowChange<ContributionRow>[]): readonly ContributionRow[] {
  return changes.flatMap(({ after }) => after ?? []);
}

function changedIn(changes: readonly RowChange<ContributionRow>[]): ReadonlySet<number> {
  return new Set(changes.flatMap(({ before }) => before?.contribution_id ?? []));
}

/** Returns the changes of the reports of one activity. A report that changes its activity leaves one list and enters another. */
export function changesOf(changes: readonly RowChange<ContributionRow>[], activity: Activity): readonly RowChange<ContributionRow>[] {
  const isOf = (row: ContributionRow | null): ContributionRow | null => (row?.event === activity ? row : null);
  return changes
    .map(({ before, after }) => ({ before: isOf(before), after: isOf(after) }))
    .filter(({ before, after }) => before !== null || after !== null);
}

/** Rows that were read and rows of the current batch have times in different forms. */
export function iso(time: string): string {
  return new Date(time).toISOString();
}
