import { toKobo, toNaira } from '../../../kernel/money.js';
import { type Farms, type OutstandingLoans, type SvcLoan } from './farmer-record.js';
import { type Section } from '../../../kernel/section-names.js';

/** A section in the interface's shape: every field, in its order. */
export type SectionShape = Readonly<Record<string, unknown>>;

const noTransactions = { total_received: 0, total_sent: 0, transaction_count: 0 };

/** What a section shows where nothing is known of it: its whole shape, empty. */
const empty: { readonly [S in Section]: SectionShape } = {
  identity: {
    full_name: null,
    first_name: null,
    last_name: null,
    gender: null,
    date_of_birth: null,
    phone_number: null,
    state: null,
    lga: null,
    community: null,
    country: 'NG',
    kyc_status: 'pending',
    kyc_verified_at: null,
    identity_locked: false,
    agent_enrolled: false,
  },
  bvn_nin_data: {
    bvn: { verified: false, verified_at: null, masked: null, name_match: false, dob_match: false },
    nin: { verified: false, masked: null, cross_matched_with_bvn: false },
    verification_source: 'none',
    overall_confidence: 'low',
  },
  credit_history: {
    credit_score: null,
    credit_rating: null,
    score_factors: null,
    score_calculated_at: null,
    prior_formal_loans_count: 0,
    prior_informal_loans_count: 0,
    prior_insurance_participation: false,
    cooperative_membership: false,
    vsla_membership: false,
    repayment_record: [],
    partner_reported_repayments: [],
    bureau: null,
  },
  outstanding_loans: { total_outstanding: 0, currency: 'NGN', svc_loans: [], partner_loans: [] },
  transaction_volume: {
    currency: 'NGN',
    sources: [],
    summary: { last_30_days: noTransactions, last_90_days: noTransactions, last_12_months: noTransactions },
  },
  farms: { farms: [], harvests: [], input_purchases: [] },
  underwriting_value: { currency: 'NGN', total_active_coverage: 0, active_policies: [] },
  wallet: {
    currency: 'NGN',
    status: null,
    balance: 0,
    average_monthly_inflow: null,
    average_monthly_outflow: null,
    last_activity_at: null,
  },
  socioeconomic_profile: {
    household_size: null,
    dependants: null,
    education_level: null,
    primary_income_source: null,
    years_farming: null,
    assets: [],
  },
};

const emptyFarm: SectionShape = {
  farm_id: null,
  name: null,
  state: null,
  lga: null,
  size_hectares: null,
  land_tenure: null,
  latitude: null,
  longitude: null,
  gps_verified: false,
  ndvi: null,
  crops: [],
  livestock: [],
};

/** A section as partners see it but for what they reported themselves: its whole shape, in the interface's order (2.5). */
export function shapedSection(section: Section, content: object, data_as_of: string): SectionShape {
  return { ...empty[section], ...withoutNulls(content as SectionShape, empty[section]), ...shapedLists(section, content), data_as_of };
}

/** What the farmer owes on loans of the service's own, in kobo; those in other currencies are shown and not summed. */
export function totalOutstandingKobo(loans: readonly SvcLoan[]): number {
  return loans.reduce((sum, { currency, outstanding }) => sum + (currency === 'NGN' ? toKobo(outstanding) : 0), 0);
}

/** Where a section's items have shapes of their own; what is owed is told by them. */
function shapedLists(section: Section, content: object): SectionShape {
  if (section === 'outstanding_loans') {
    const loans = (content as OutstandingLoans).svc_loans ?? [];
    return {
      total_outstanding: toNaira(totalOutstandingKobo(loans)),
      svc_loans: loans.map((loan) => ({ ...loan, due_at: loan.due_at ?? null })),
    };
  }
  if (section === 'farms')
    return { farms: ((content as Farms).farms ?? []).map((farm) => ({ ...emptyFarm, ...withoutNulls(farm, emptyFarm) })) };
  return {};
}

/** Where the interface's shape has no null, null means as little as not sent. */
function withoutNulls(known: SectionShape, shape: SectionShape): SectionShape {
  const kept: [string, unknown][] = [];
  for (const field of Object.keys(known)) {
    const [value, plain] = [known[field], shape[field]];
    if (value !== null || plain == null)
      kept.push([field, isRecord(value) && isRecord(plain) ? { ...plain, ...withoutNulls(value, plain) } : value]);
  }
  return Object.fromEntries(kept);
}

function isRecord(value: unknown): value is SectionShape {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
