import { type Section } from '../../kernel/section-names.js';
import { type SvcLoan } from '../farmers/domain/farmer-record.js';
import { type SectionShape, shapedSection, totalOutstandingKobo } from '../farmers/domain/section-shapes.js';
import { toNaira } from '../../kernel/money.js';
import { type FoundFarmer } from './farmer-reader.js';
import { type Goods, type Loan, type Policy, type ReportedItems } from './reported-items.js';

/** What partners reported, in the sections that show it. */
const fromReports: { readonly [S in Section]?: (held: SectionShape, reported: ReportedItems) => SectionShape } = {
  outstanding_loans: ({ svc_loans }, { loans }) => ({
    total_outstanding: toNaira(totalOutstandingKobo(svc_loans as SvcLoan[]) + (loans?.total_kobo ?? 0)),
    partner_loans: loans?.newest.map(loan) ?? [],
  }),
  credit_history: (_held, { repayments }) => ({
    partner_reported_repayments: repayments?.map((item) => ({ ...shared(item, 'lender_type'), paid_at: iso(item.occurred_at) })) ?? [],
  }),
  underwriting_value: (_held, { policies }) => ({
    total_active_coverage: toNaira(policies?.total_kobo ?? 0),
    active_policies: policies?.newest.map(policy) ?? [],
  }),
  farms: (_held, { harvests, input_purchases }) => ({
    harvests: harvests?.map((item) => ({ ...goods(item), harvested_at: iso(item.occurred_at) })) ?? [],
    input_purchases: input_purchases?.map((item) => ({ ...goods(item), purchased_at: iso(item.occurred_at) })) ?? [],
  }),
};

/** A section as a partner sees it, as JSON (interface 2.5): as it is stored, unless it shows something that partners reported. */
export function sectionJson({ profile, reported }: Pick<FoundFarmer, 'profile' | 'reported'>, section: Section): string {
  const held = profile[section] ?? JSON.stringify(shapedSection(section, {}, profile.registered_at));
  const fill = fromReports[section];
  if (!reported || !fill) return held;
  const shape = JSON.parse(held) as SectionShape;
  return JSON.stringify({ ...shape, ...fill(shape, reported) });
}

function loan({ outstanding_minor, occurred_at, ...item }: Loan): SectionShape {
  const { currency, ...rest } = shared(item, 'lender_type');
  return { ...rest, outstanding: naira(outstanding_minor), currency, disbursed_at: iso(occurred_at) };
}

function policy({ contribution_id, amount_minor, currency, occurred_at, expires_at }: Policy): SectionShape {
  return {
    contribution_id,
    amount: naira(amount_minor),
    currency,
    issued_at: iso(occurred_at),
    expires_at: expires_at === null ? null : iso(expires_at),
  };
}

function goods(item: Goods): SectionShape {
  const { item: what = null, quantity = null, unit = null } = item.goods ?? {};
  return { ...shared(item, 'reporter_type'), item: what, quantity, unit };
}

/** Who reported is told by account type alone. */
function shared(
  { contribution_id, account_type, amount_minor, currency }: Omit<Goods, 'occurred_at' | 'goods'>,
  type: string,
): SectionShape {
  return { contribution_id, [type]: account_type, amount: naira(amount_minor), currency };
}

function naira(minor: number | null): number | null {
  return minor === null ? null : toNaira(minor);
}

/** Times inside of PostgreSQL's JSON have an offset of their own. */
function iso(time: string): string {
  return new Date(time).toISOString();
}
