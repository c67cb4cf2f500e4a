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
import { ERRORS, type ErrorCode } from '../../../http/errors/error-codes.js';

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
function sectionJson({ profile, reported }: Pick<FoundFarmer, 'profile' | 'reported'>, section: Section): string {
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

/** The end of one lookup. */
export type LookupOutcome =
  | {
      readonly kind: 'found';
      readonly lookup_id: string;
      readonly amount_kobo: number;
      /** `data` of the lookup's response, as JSON. */
      readonly json: string;
    }
  | { readonly kind: 'not_found' | 'not_charged' }
  /** Nothing was charged, or the charge was refunded. `unavailable` if what is stored about the farmer cannot be used. */
  | { readonly kind: 'failed'; readonly code: 'internal_error' | 'unavailable' };

export interface BilledLookups {
  /** In the order of the Rupa IDs. */
  readonly outcomes: readonly LookupOutcome[];
  /** Integer kobo, right after the charges and the refunds of lookups that failed. undefined if nothing was charged. */
  readonly balance_kobo: number | undefined;
}

/** Outcomes of the lookups of a list (decisions, "Many at once"). */
export const LIST_OUTCOMES = ['found', 'not_found', 'not_charged', 'failed'] as const;
export type ListOutcome = (typeof LIST_OUTCOMES)[number];
export type ListCounts = Readonly<Record<ListOutcome, number>>;

/** The outcome of one lookup of a list, without the farmer's data. */
interface Outcome {
  readonly outcome: ListOutcome;
  readonly code?: ErrorCode;
  readonly message?: string;
}

/** A list's response without the farmers' data. It is stored as it is, so that the response to a retry has the same bytes. */
export interface ListHead {
  /** In the order of the different Rupa IDs. */
  readonly outcomes: readonly Outcome[];
  readonly amount_charged_kobo: number;
  readonly balance_kobo: number;
}

/** The farmers' data by number: `data` of each lookup's response, as JSON. */
export type Pieces = ReadonlyMap<number, string>;

/** The Rupa IDs of a list. */
export interface AskedIds {
  /** As they were asked: some may repeat. */
  readonly asked: readonly string[];
  /** Each once, in the order in which they first were asked. */
  readonly rupa_ids: readonly string[];
}

const NOT_FOUND = failed('not_found', 'farmer_not_found');
const NOT_CHARGED = failed('not_charged', 'insufficient_balance');

export function headOf({ outcomes }: Pick<BilledLookups, 'outcomes'>, balance_kobo: number): ListHead {
  const amount_charged_kobo = outcomes.reduce((sum, each) => sum + (each.kind === 'found' ? each.amount_kobo : 0), 0);
  return { outcomes: outcomes.map(listed), amount_charged_kobo, balance_kobo };
}

export function piecesOf({ outcomes }: Pick<BilledLookups, 'outcomes'>): Pieces {
  return new Map(outcomes.flatMap((each, index) => (each.kind === 'found' ? [[index, each.json] as const] : [])));
}

/** Returns `data` of a list's response as JSON text, and how many lookups have each outcome. A farmer whose piece is missing is not found. */
export function listPayload(
  { outcomes, amount_charged_kobo, balance_kobo }: ListHead,
  pieces: Pieces,
  { asked, rupa_ids }: AskedIds,
): { readonly json: string; readonly counts: ListCounts } {
  const numbers = new Map(rupa_ids.map((rupa_id, index) => [rupa_id, index]));
  const counts: Record<ListOutcome, number> = { found: 0, not_found: 0, not_charged: 0, failed: 0 };
  const results = asked.map((rupa_id) => {
    const index = numbers.get(rupa_id) ?? -1;
    const piece = pieces.get(index);
    const { outcome, ...why } = outcomes[index]?.outcome === 'found' && piece === undefined ? NOT_FOUND : (outcomes[index] ?? NOT_FOUND);
    counts[outcome] += 1;
    const result = JSON.stringify({ rupa_id, outcome, ...why });
    return outcome === 'found' ? `${result.slice(0, -1)},"lookup":${piece}}` : result;
  });
  const summary = {
    requested: asked.length,
    ...counts,
    amount_charged: toNaira(amount_charged_kobo),
    wallet_balance: toNaira(balance_kobo),
    currency: 'NGN',
  };
  return { json: `{"results":[${results.join(',')}],"summary":${JSON.stringify(summary)}}`, counts };
}

function listed(outcome: LookupOutcome): Outcome {
  switch (outcome.kind) {
    case 'found':
      return { outcome: 'found' };
    case 'not_found':
      return NOT_FOUND;
    case 'not_charged':
      return NOT_CHARGED;
    case 'failed':
      return failed('failed', outcome.code);
  }
}

function failed(outcome: ListOutcome, code: ErrorCode): Outcome {
  return { outcome, code, message: ERRORS[code].message };
}
