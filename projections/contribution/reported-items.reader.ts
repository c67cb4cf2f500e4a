import {
  type ReportedGoods,
  type ReportedItem,
  type ReportedLoan,
  type ReportedPolicy,
} from '../../src/contexts/farmers/domain/reported-item.js';
import { columnsOf } from '../../src/platform/database/typed-sql.js';
import { type ContributionRow } from './contribution.projection.js';

type Activity = ContributionRow['event'];

const [c, p, r] = [columnsOf<ContributionRow>('c'), columnsOf<ContributionRow>('p'), columnsOf<ContributionRow>('r')];

/** Number of items that a list shows, newest first; sums cover all items (decisions, "Sections"). */
const MAX_LISTED = 100;

/** Items that partners reported about one farmer. A list is null if no requested section shows it. */
export interface ReportedItems {
  readonly loans: { readonly newest: readonly ReportedLoan[]; readonly total_kobo: number } | null;
  readonly repayments: readonly ReportedItem[] | null;
  readonly policies: { readonly newest: readonly ReportedPolicy[]; readonly total_kobo: number } | null;
  readonly harvests: readonly ReportedGoods[] | null;
  readonly input_purchases: readonly ReportedGoods[] | null;
}

const LISTED = ['contribution_id', 'account_type', 'amount_minor', 'currency', 'occurred_at'] as const satisfies (keyof ContributionRow)[];
const ITEM = LISTED.map((column) => `'${column}', ${r[column]}`).join(', ');

const RANKED = `row_number() over (order by ${c.occurred_at} desc, ${c.contribution_id} desc) as rank`;

function newest(extraFields = ''): string {
  return `coalesce(json_agg(json_build_object(${ITEM}${extraFields}) order by r.rank) filter (where r.rank <= ${MAX_LISTED}), '[]')`;
}

function list(event: Activity, extraFields = ''): string {
  return `(select ${newest(extraFields)} from (
    select c.*, ${RANKED} from read.contribution c
    where ${c.rupa_id} = f.rupa_id and ${c.event} = '${event}' order by ${c.occurred_at} desc, ${c.contribution_id} desc limit ${MAX_LISTED}) r)`;
}

/** A loan's repayments are those that the same partner reported about the same farmer with the loan's reference and currency. */
const LOANS = `(select json_build_object('newest', ${newest(`, 'outstanding_minor', r.outstanding_minor`)},
    'total_kobo', coalesce(sum(r.outstanding_minor) filter (where ${r.currency} = 'NGN'), 0)) from (
  select c.*, ${RANKED}, greatest(${c.amount_minor} - coalesce((
      select sum(${p.amount_minor}) from read.contribution p
      where ${p.partner_id} = ${c.partner_id} and ${p.rupa_id} = ${c.rupa_id} and ${p.loan_reference} = ${c.partner_reference}
        and ${p.currency} = ${c.currency}), 0), 0) as outstanding_minor
  from read.contribution c where ${c.rupa_id} = f.rupa_id and ${c.event} = '${'loan_disbursed' satisfies Activity}') r)`;

const POLICIES = `(select json_build_object('newest', ${newest(`, 'expires_at', ${r.expires_at}`)},
    'total_kobo', coalesce(sum(${r.amount_minor}) filter (where ${r.currency} = 'NGN'), 0)) from (
  select c.*, ${RANKED} from read.contribution c
  where ${c.rupa_id} = f.rupa_id and ${c.event} = '${'policy_issued' satisfies Activity}' and (${c.expires_at} is null or ${c.expires_at} > $2::timestamptz)) r)`;

const GOODS = `, 'goods', ${r.goods}`;

/**
 * SQL columns of {@link ReportedItems}. The statement must provide `f` (the farmer's profile), `w` (whether the lists are wanted),
 * `reported.is_reported` (whether there is any report, so that the subqueries are skipped for most farmers) and `$2` (the current time).
 */
export const REPORTED_ITEMS = `
  case when reported.is_reported and w.loans then ${LOANS} end as loans,
  case when reported.is_reported and w.repayments then ${list('loan_repayment')} end as repayments,
  case when reported.is_reported and w.policies then ${POLICIES} end as policies,
  case when reported.is_reported and w.goods then ${list('harvest_record', GOODS)} end as harvests,
  case when reported.is_reported and w.goods then ${list('input_purchase', GOODS)} end as input_purchases`;

/**
 * Returns the SQL condition that anything was reported about the farmer `f`, or a report of one activity. The order makes PostgreSQL read the
 * index of farmers. If it expects that most reports are about one farmer, it would look for a report of another in the whole table.
 */
export function isReported(event?: Activity): string {
  const ofEvent = event === undefined ? '' : ` and ${c.event} = '${event}'`;
  return `(select true from read.contribution c where ${c.rupa_id} = f.rupa_id${ofEvent}
    order by ${c.event}, ${c.occurred_at}, ${c.contribution_id} limit 1) is not null`;
}
