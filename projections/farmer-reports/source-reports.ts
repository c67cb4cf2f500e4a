import { type SourceRows } from '../../src/platform/projecting/derived.js';
import { type ContributionRow } from '../contribution/contribution-table.js';
import { type Activity, MAX_LISTED } from './reported-lists.js';
import { type LoanKey } from './reported-loans.js';

/** A list of a farmer's reports of an activity. */
export interface WantedList {
  readonly rupa_id: string;
  readonly event: Activity;
}

/** Reads the reports of lists that have to be read again. The function that it returns gives those of a wanted list. */
export async function reportsOfLists(
  source: SourceRows<ContributionRow>,
  wanted: readonly WantedList[],
): Promise<(rupaId: string, activity: Activity) => readonly ContributionRow[] | undefined> {
  const isPolicies = ({ event }: WantedList): boolean => event === 'policy_issued';
  const lists = new Map<string, ContributionRow[]>(wanted.map((list) => [textOf(list), []]));
  const newest = wanted.filter((list) => !isPolicies(list));
  const rows = [
    ...(await source.last(newest, ['occurred_at', 'contribution_id'], MAX_LISTED)),
    // Which of the policies will be in force, and when, follows from all of them.
    ...(await source.matching(wanted.filter(isPolicies))),
  ];
  for (const row of rows) lists.get(textOf(row))?.push(row);
  return (rupa_id, event) => lists.get(textOf({ rupa_id, event }));
}

function textOf({ rupa_id, event }: WantedList): string {
  return `${event} ${rupa_id}`;
}

/** Returns the loans and repayments with these keys. */
export async function reportsOfLoans(source: SourceRows<ContributionRow>, keys: readonly LoanKey[]): Promise<readonly ContributionRow[]> {
  const loans = keys.map(({ reference, ...key }) => ({ ...key, event: 'loan_disbursed' as const, partner_reference: reference }));
  const repayments = keys.map(({ reference, ...key }) => ({ ...key, loan_reference: reference }));
  return [...(await source.matching(loans)), ...(await source.matching(repayments))];
}
