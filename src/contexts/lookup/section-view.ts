import { type Section } from '../../kernel/section-names.js';
import {
  type Harvest,
  type InputPurchase,
  type LookupOnly,
  type PartnerLoan,
  type Policy,
  type SectionOf,
  type SectionShape,
  shapedSection,
  type SvcLoan,
  totalOutstandingKobo,
} from '../farmers/public.js';
import { toNaira } from '../../kernel/money.js';
import { type FoundFarmer } from './farmer-reader.js';
import { type Goods, type Loan, type Policy as PolicyItem, type ReportedItems } from './reported-items.js';

/** The sections with fields that only a lookup shows. */
type Reporting = { readonly [S in Section]: keyof LookupOnly<SectionOf<S>> extends never ? never : S }[Section];

/** What partners reported, in the sections that show it: TypeScript accepts no such section that is missing here. */
const fromReports: { readonly [S in Reporting]: (held: SectionShape, reported: ReportedItems) => Partial<LookupOnly<SectionOf<S>>> } = {
  outstanding_loans: ({ svc_loans }, { loans }) => ({
    total_outstanding: toNaira(totalOutstandingKobo(svc_loans as SvcLoan[]) + (loans?.total_kobo ?? 0)),
    partner_loans: loans?.newest.map(loan) ?? [],
  }),
  credit_history: (_held, { repayments }) => ({
    partner_reported_repayments:
      repayments?.map(({ contribution_id, account_type, amount_minor, currency, occurred_at }) => ({
        contribution_id,
        lender_type: account_type,
        amount: naira(amount_minor),
        currency,
        paid_at: iso(occurred_at),
      })) ?? [],
  }),
  underwriting_value: (_held, { policies }) => ({
    total_active_coverage: toNaira(policies?.total_kobo ?? 0),
    active_policies: policies?.newest.map(policy) ?? [],
  }),
  farms: (_held, { harvests, input_purchases }) => ({
    harvests: harvests?.map((item): Harvest => ({ ...goods(item), harvested_at: iso(item.occurred_at) })) ?? [],
    input_purchases: input_purchases?.map((item): InputPurchase => ({ ...goods(item), purchased_at: iso(item.occurred_at) })) ?? [],
  }),
};

/** A section as a partner sees it, as JSON (interface 2.5): as it is stored, unless it shows something that partners reported. */
export function sectionJson({ profile, reported }: Pick<FoundFarmer, 'profile' | 'reported'>, section: Section): string {
  const held = profile[section] ?? JSON.stringify(shapedSection(section, {}, profile.registered_at));
  if (!reported || !isReporting(section)) return held;
  const shape = JSON.parse(held) as SectionShape;
  return JSON.stringify({ ...shape, ...fromReports[section](shape, reported) });
}

function isReporting(section: Section): section is Reporting {
  return section in fromReports;
}

function loan({ contribution_id, account_type, amount_minor, outstanding_minor, currency, occurred_at }: Loan): PartnerLoan {
  return {
    contribution_id,
    lender_type: account_type,
    amount: naira(amount_minor),
    outstanding: naira(outstanding_minor),
    currency,
    disbursed_at: iso(occurred_at),
  };
}

function policy({ contribution_id, amount_minor, currency, occurred_at, expires_at }: PolicyItem): Policy {
  return {
    contribution_id,
    amount: naira(amount_minor),
    currency,
    issued_at: iso(occurred_at),
    expires_at: expires_at === null ? null : iso(expires_at),
  };
}

/** Who reported is told by account type alone. */
function goods({ contribution_id, account_type, amount_minor, currency, goods: reported }: Goods): Omit<Harvest, 'harvested_at'> {
  const { item = null, quantity = null, unit = null } = reported ?? {};
  return { contribution_id, reporter_type: account_type, amount: naira(amount_minor), currency, item, quantity, unit };
}

function naira(minor: number | null): number | null {
  return minor === null ? null : toNaira(minor);
}

/** Times inside of PostgreSQL's JSON have an offset of their own. */
function iso(time: string): string {
  return new Date(time).toISOString();
}
