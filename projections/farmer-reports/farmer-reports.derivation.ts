import { defineEntity } from '@mikro-orm/core';
import { type ReportedGoods, type ReportedItem, type ReportedLoan } from '../../src/contexts/farmers/domain/reported-item.js';
import { type ChangedGroup, derivation, type SourceRows } from '../../src/platform/projecting/derived.js';
import { type WithoutMac } from '../../src/platform/projecting/projection.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';
import { type ContributionRow } from '../contribution/contribution-table.js';
import { type Activity, afterAll, changesOf, goodsOf, itemOf, listAfter, losesItem, newestOf, MAX_LISTED } from './reported-lists.js';
import { distinctLoanKeys, loanKeyOf, Loans, type LoanKey } from './reported-loans.js';
import { type KeptPolicies, NO_POLICIES, withPolicies } from './reported-policies.js';

const table = defineEntity({
  name: 'farmer_reports',
  tableName: 'farmer_reports',
  properties: {
    subject: column.text().primary(),
    /** Number of all reports, also of activities that no list shows. */
    reports: column.integer(),
    /** Sum of the outstanding amounts of all loans in NGN, listed or not. */
    outstanding_kobo: column.koboTotal(),
    // Each list has the newest items only (reported-lists.ts).
    loans: column.document<readonly ReportedLoan[]>(),
    repayments: column.document<readonly ReportedItem[]>(),
    policies: column.document<KeptPolicies>(),
    harvests: column.document<readonly ReportedGoods[]>(),
    input_purchases: column.document<readonly ReportedGoods[]>(),
    ...authenticatedColumns,
  },
});

export type FarmerReportsRow = RowOf<typeof table>;

type Reports = WithoutMac<FarmerReportsRow>;
type Changed = ChangedGroup<ContributionRow, Reports>;

/** Returns the row of a farmer from all reports about the farmer. */
function derive(rows: readonly ContributionRow[]): Reports {
  const of = (activity: Activity): readonly ContributionRow[] => rows.filter(({ event }) => event === activity);
  const loans = new Loans(rows);
  return {
    subject: rows[0]?.subject ?? '',
    reports: rows.length,
    outstanding_kobo: loans.outstandingKobo().toString(),
    loans: newestOf(of('loan_disbursed').map((row) => loans.shown(row))),
    repayments: newestOf(of('loan_repayment').map(itemOf)),
    policies: withPolicies(NO_POLICIES, of('policy_issued')),
    harvests: newestOf(of('harvest_record').map(goodsOf)),
    input_purchases: newestOf(of('input_purchase').map(goodsOf)),
  };
}

/**
 * Returns the rows of farmers after changes of reports. A new report needs no other one, except a loan or a repayment, which needs those with
 * its reference. A list is read again only if it was full and lost an item, and the policies if one of them changed.
 */
async function update(groups: readonly Changed[], source: SourceRows<ContributionRow>): Promise<ReadonlyMap<string, Reports | null>> {
  const readAgain = await reportsOfLists(source, groups.flatMap(listsToRead));
  const loansReadAgain = groups.flatMap(({ key }) => readAgain(key, 'loan_disbursed') ?? []);
  const changed = groups.flatMap(({ changes }) => changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat()));
  const keys = distinctLoanKeys([...changed, ...loansReadAgain]);
  const ofLoans = Map.groupBy(await reportsOfLoans(source, keys), ({ subject }) => subject);
  return new Map(
    groups.map((group) => [group.key, rowAfter(group, ofLoans.get(group.key) ?? [], (activity) => readAgain(group.key, activity))]),
  );
}

/** Returns the lists of a farmer for which the changes and the row do not suffice. */
function listsToRead({ key, row, changes }: Changed): readonly WantedList[] {
  const lists = [
    ['loan_disbursed', row.loans],
    ['loan_repayment', row.repayments],
    ['harvest_record', row.harvests],
    ['input_purchase', row.input_purchases],
  ] as const;
  const newest = lists
    .filter(([activity, list]) => losesItem(list, changesOf(changes, activity)))
    .map(([event]) => ({ subject: key, event }));
  const changesPolicy = changes.some(({ before }) => before?.event === 'policy_issued');
  return changesPolicy ? [...newest, { subject: key, event: 'policy_issued' }] : newest;
}

/**
 * @param ofLoans the loans and repayments with the references that occur in the changes and in the loans that were read again
 * @param readAgain returns the reports of {@link listsToRead}; undefined for other activities
 */
function rowAfter(
  { row, changes }: Changed,
  ofLoans: readonly ContributionRow[],
  readAgain: (activity: Activity) => readonly ContributionRow[] | undefined,
): Reports | null {
  const reports = changes.reduce((sum, { before, after }) => sum + (after ? 1 : 0) - (before ? 1 : 0), row.reports);
  if (reports === 0) return null;
  const listed = <Item extends ReportedItem>(
    activity: Activity,
    list: readonly Item[],
    show: (report: ContributionRow) => Item,
  ): readonly Item[] => {
    const again = readAgain(activity);
    return again ? newestOf(again.map(show)) : listAfter(list, changesOf(changes, activity), show);
  };
  const policies = readAgain('policy_issued');
  return {
    subject: row.subject,
    reports,
    ...loansAfter(row, changes, ofLoans, (show) => listed('loan_disbursed', row.loans, show)),
    repayments: listed('loan_repayment', row.repayments, itemOf),
    policies: policies ? withPolicies(NO_POLICIES, policies) : withPolicies(row.policies, afterAll(changesOf(changes, 'policy_issued'))),
    harvests: listed('harvest_record', row.harvests, goodsOf),
    input_purchases: listed('input_purchase', row.input_purchases, goodsOf),
  };
}

/** The sum changes by as much as that of the loans that the changes concern, before and after them. */
function loansAfter(
  row: Reports,
  changes: Changed['changes'],
  ofLoans: readonly ContributionRow[],
  listed: (show: (report: ContributionRow) => ReportedLoan) => readonly ReportedLoan[],
): Pick<Reports, 'outstanding_kobo' | 'loans'> {
  const withoutReference = afterAll(changesOf(changes, 'loan_disbursed')).filter((loan) => loanKeyOf(loan) === undefined);
  const loans = new Loans([...ofLoans, ...withoutReference]);
  const list = loans.refreshed(listed((loan) => loans.shown(loan)));
  const after = loans.outstandingKobo();
  loans.undo(changes);
  return { outstanding_kobo: (BigInt(row.outstanding_kobo) + after - loans.outstandingKobo()).toString(), loans: list };
}

/** The items and sums that lookups show of all reports with a subject: about a farmer, or an account's about a test farmer. */
export const farmerReports = derivation<ContributionRow, Reports>({
  name: 'farmer_reports',
  table,
  personal: true,
  groupedBy: 'subject',
  derive,
  update,
});

/** A list of the reports of an activity with a subject. */
interface WantedList {
  readonly subject: string;
  readonly event: Activity;
}

/** Reads the reports of lists that have to be read again. The function that it returns gives those of a wanted list. */
async function reportsOfLists(
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
async function reportsOfLoans(source: SourceRows<ContributionRow>, keys: readonly LoanKey[]): Promise<readonly ContributionRow[]> {
  const loans = keys.map(({ reference, ...key }) => ({ ...key, event: 'loan_disbursed' as const, partner_reference: reference }));
  const repayments = keys.map(({ reference, ...key }) => ({ ...key, loan_reference: reference }));
  return [...(await source.matching(loans)), ...(await source.matching(repayments))];
}
