import { type SourceRows } from '../../src/platform/projecting/derived.js';
import { type ContributionRow } from '../contribution/contribution-table.js';
import { type Activity, MAX_LISTED } from './reported-lists.js';
import { type LoanKey } from './reported-loans.js';

/** A list of the reports of an activity with a subject. */
export interface WantedList {
  readonly subject: string;
  readonly event: Activity;
}

/** Reads the reports of lists that have to be read again. The function that it returns gives those of a wanted list. */
export async function reportsOfLists(
  source: SourceRows<ContributionRow>,
  wanted: readonly WantedList[],
): Promise<(subject: string, activity: Activity) => readonly ContributionRow[] | undefined> {
  const isPolicies = ({ event }: WantedList): boolean => event === 'policy_issued';
  const lists = new Map<string, ContributionRow[]>(wanted.map((list) => [textOf(list), []]));
  const newest = wanted.filter((list) => !isPolicies(list));
  const rows = [
    ...(await source.last(newest, ['occurred_at', 'contribution_id'], MAX_LISTED)),
    // Which of the policies will be in force, and when, follows from all of them.
    ...(await source.matching(wanted.filter(isPolicies))),
  ];
  for (const row of rows) lists.get(textOf(row))?.push(row);
  return (subject, event) => lists.get(textOf({ subject, event }));
}

function textOf({ subject, event }: WantedList): string {
  return `${event} ${subject}`;
}

/** Returns the loans and repayments with these keys. */
export async function reportsOfLoans(source: SourceRows<ContributionRow>, keys: readonly LoanKey[]): Promise<readonly ContributionRow[]> {
  const loans = keys.map(({ reference, ...key }) => ({ ...key, event: 'loan_disbursed' as const, partner_reference: reference }));
  const repayments = keys.map(({ reference, ...key }) => ({ ...key, loan_reference: reference }));
  return [...(await source.matching(loans)), ...(await source.matching(repayments))];
}
