import { type Section } from '../../kernel/section-names.js';
import { type ReportedGoods, type ReportedItem, type ReportedLoan, type ReportedPolicy, type SampleReports } from '../farmers/public.js';

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

/** Returns the sample reports of a test farmer, in place of what partners reported about it. */
export function sampleItems({ loans, policies, ...lists }: SampleReports): ReportedItems {
  const total = (amounts: readonly (number | null)[]): number => amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
  return {
    ...lists,
    loans: { newest: loans, total_kobo: total(loans.map(({ outstanding_minor }) => outstanding_minor)) },
    policies: { newest: policies, total_kobo: total(policies.map(({ amount_minor }) => amount_minor)) },
  };
}

/** Returns which lists the sections need, as columns of the lookup's statement. */
export function listsOf(sections: readonly Section[]): { loans: boolean; repayments: boolean; policies: boolean; goods: boolean } {
  return {
    loans: sections.includes('outstanding_loans'),
    repayments: sections.includes('credit_history'),
    policies: sections.includes('underwriting_value'),
    goods: sections.includes('farms'),
  };
}

const ITEM = `'contribution_id', r.contribution_id, 'account_type', r.account_type, 'amount_minor', r.amount_minor, 'currency', r.currency, 'occurred_at', r.occurred_at`;

const RANKED = 'row_number() over (order by c.occurred_at desc, c.contribution_id desc) as rank';

function newest(extraFields = ''): string {
  return `coalesce(json_agg(json_build_object(${ITEM}${extraFields}) order by r.rank) filter (where r.rank <= ${MAX_LISTED}), '[]')`;
}

function list(event: string, extraFields = ''): string {
  return `(select ${newest(extraFields)} from (
    select c.*, ${RANKED} from read.contribution c
    where c.rupa_id = f.rupa_id and c.event = '${event}' order by c.occurred_at desc, c.contribution_id desc limit ${MAX_LISTED}) r)`;
}

/** A loan's repayments are those that the same partner reported about the same farmer with the loan's reference and currency. */
const LOANS = `(select json_build_object('newest', ${newest(`, 'outstanding_minor', r.outstanding_minor`)},
    'total_kobo', coalesce(sum(r.outstanding_minor) filter (where r.currency = 'NGN'), 0)) from (
  select c.*, ${RANKED}, greatest(c.amount_minor - coalesce((
      select sum(p.amount_minor) from read.contribution p
      where p.partner_id = c.partner_id and p.rupa_id = c.rupa_id and p.loan_reference = c.partner_reference
        and p.currency = c.currency), 0), 0) as outstanding_minor
  from read.contribution c where c.rupa_id = f.rupa_id and c.event = 'loan_disbursed') r)`;

const POLICIES = `(select json_build_object('newest', ${newest(`, 'expires_at', r.expires_at`)},
    'total_kobo', coalesce(sum(r.amount_minor) filter (where r.currency = 'NGN'), 0)) from (
  select c.*, ${RANKED} from read.contribution c
  where c.rupa_id = f.rupa_id and c.event = 'policy_issued' and (c.expires_at is null or c.expires_at > $2::timestamptz)) r)`;

const GOODS = `, 'goods', r.goods`;

/**
 * SQL columns of {@link ReportedItems}. The statement must provide `f` (the farmer's profile), `w` (the wanted lists, see {@link listsOf}),
 * `reported.is_reported` (whether there is any report, so that the subqueries are skipped for most farmers) and `$2` (the current time).
 */
export const REPORTED_ITEMS = `
  case when reported.is_reported and w.loans then ${LOANS} end as loans,
  case when reported.is_reported and w.repayments then ${list('loan_repayment')} end as repayments,
  case when reported.is_reported and w.policies then ${POLICIES} end as policies,
  case when reported.is_reported and w.goods then ${list('harvest_record', GOODS)} end as harvests,
  case when reported.is_reported and w.goods then ${list('input_purchase', GOODS)} end as input_purchases`;
