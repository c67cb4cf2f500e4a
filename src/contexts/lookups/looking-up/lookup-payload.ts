import { type Section } from '../../../kernel/section-names.js';
import {
  type Harvest,
  type InputPurchase,
  type LookupOnly,
  type PartnerLoan,
  type Policy,
  profileTier,
  type ReportedGoods,
  type ReportedLoan,
  type ReportedPolicy,
  type SectionOf,
  type SectionShape,
  shapedSection,
  type SvcLoan,
  totalOutstandingKobo,
} from '../../farmers/public.js';
import { toCredits, toNaira } from '../../../kernel/money.js';
import { type FoundFarmer } from './farmer-reader.js';
import { type ReportedItems } from '../../../../projections/farmer-reports/farmer-reports.reader.js';

export interface LookupFacts {
  readonly lookup_id: string;
  readonly farmer: FoundFarmer;
  /** The requested sections that the partner may read. */
  readonly sections: readonly Section[];
  readonly denied: readonly Section[];
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  readonly queriedAt: string;
  readonly publicUrl: string;
}

/** Returns `data` of a lookup's response, as JSON text (interface, section 2.5). */
export function lookupPayload({ lookup_id, farmer, sections, denied, breakdown_kobo, queriedAt, publicUrl }: LookupFacts): string {
  const { rupa_id } = farmer.profile;
  const meta = {
    ...profileTier(farmer.profile, farmer.reportedCriteria),
    rupa_profile_url: `${publicUrl}/p/${rupa_id}`,
    ...(denied.length > 0 ? { denied_sections: denied } : {}),
  };
  return jsonObject([
    ['rupa_id', JSON.stringify(rupa_id)],
    ['queried_at', JSON.stringify(queriedAt)],
    ...sections.map((section) => [section, sectionJson(farmer, section)] as const),
    ['meta', JSON.stringify(meta)],
    ['billing', JSON.stringify(billing(lookup_id, breakdown_kobo))],
  ]);
}

function billing(lookup_id: string, breakdown_kobo: LookupFacts['breakdown_kobo']): object {
  const charged = Object.values(breakdown_kobo).reduce((sum, fee) => sum + fee, 0);
  return {
    lookup_id,
    amount_charged: toNaira(charged),
    currency: 'NGN',
    credits: toCredits(charged),
    breakdown: Object.fromEntries(Object.entries(breakdown_kobo).map(([key, fee]) => [key, toNaira(fee)])),
  };
}

/** Builds a JSON object from names and values that are JSON text already. */
function jsonObject(fields: readonly (readonly [name: string, json: string])[]): string {
  return `{${fields.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}

/** The sections with fields that come from reports and are shown by lookups only. */
type SectionWithReports = { readonly [S in Section]: keyof LookupOnly<SectionOf<S>> extends never ? never : S }[Section];

/** Builds the reported fields of each section that has some. The type makes TypeScript refuse a missing section. */
const fromReports: {
  readonly [S in SectionWithReports]: (stored: SectionShape, reported: ReportedItems) => Partial<LookupOnly<SectionOf<S>>>;
} = {
  outstanding_loans: ({ svc_loans }, { loans }) => ({
    total_outstanding: toNaira(totalOutstandingKobo(svc_loans as SvcLoan[]) + loans.total_kobo),
    partner_loans: loans.newest.map(loan),
  }),
  credit_history: (_stored, { repayments }) => ({
    partner_reported_repayments: repayments.map(({ contribution_id, account_type, amount_minor, currency, occurred_at }) => ({
      contribution_id,
      lender_type: account_type,
      amount: naira(amount_minor),
      currency,
      paid_at: occurred_at,
    })),
  }),
  underwriting_value: (_stored, { policies }) => ({
    total_active_coverage: toNaira(policies.total_kobo),
    active_policies: policies.newest.map(policy),
  }),
  farms: (_stored, { harvests, input_purchases }) => ({
    harvests: harvests.map((item): Harvest => ({ ...goods(item), harvested_at: item.occurred_at })),
    input_purchases: input_purchases.map((item): InputPurchase => ({ ...goods(item), purchased_at: item.occurred_at })),
  }),
};

/** Returns a section as JSON text (interface, section 2.5): the stored text, extended with reported fields if the section has some. */
export function sectionJson({ profile, reported }: Pick<FoundFarmer, 'profile' | 'reported'>, section: Section): string {
  const stored = profile[section] ?? JSON.stringify(shapedSection(section, {}, profile.registered_at));
  if (!reported || !hasReports(section)) return stored;
  const shape = JSON.parse(stored) as SectionShape;
  return JSON.stringify({ ...shape, ...fromReports[section](shape, reported) });
}

function hasReports(section: Section): section is SectionWithReports {
  return section in fromReports;
}

function loan({ contribution_id, account_type, amount_minor, outstanding_minor, currency, occurred_at }: ReportedLoan): PartnerLoan {
  return {
    contribution_id,
    lender_type: account_type,
    amount: naira(amount_minor),
    outstanding: naira(outstanding_minor),
    currency,
    disbursed_at: occurred_at,
  };
}

function policy({ contribution_id, amount_minor, currency, occurred_at, expires_at }: ReportedPolicy): Policy {
  return {
    contribution_id,
    amount: naira(amount_minor),
    currency,
    issued_at: occurred_at,
    expires_at,
  };
}

/** Shows the reporter's account type only: partners do not learn who reported an item. */
function goods({ contribution_id, account_type, amount_minor, currency, goods: reported }: ReportedGoods): Omit<Harvest, 'harvested_at'> {
  const { item = null, quantity = null, unit = null } = reported ?? {};
  return { contribution_id, reporter_type: account_type, amount: naira(amount_minor), currency, item, quantity, unit };
}

function naira(minor: number | null): number | null {
  return minor === null ? null : toNaira(minor);
}
