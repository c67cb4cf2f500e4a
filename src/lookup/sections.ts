import { type FarmerProfileRow } from '../../projections/farmer-profile/farmer-profile.projection.js';
import { type FarmerRecord, type Section, type SvcLoan } from '../farmers/domain/farmer-record.js';
import { toKobo, toNaira } from '../wallet/domain/money.js';
import { type Goods, type Loan, type Policy, type ReportedItems } from './reported-items.js';

type Held<S extends Section> = NonNullable<FarmerRecord[S]>;
type Shape = Readonly<Record<string, unknown>>;

const noTransactions = { total_received: 0, total_sent: 0, transaction_count: 0 };

/** What a section shows where nothing is known of it: its whole shape, empty (interface 2.5). */
const empty: { readonly [S in Section]: Shape } = {
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
  wallet: { currency: 'NGN', status: null, balance: 0, average_monthly_inflow: null, average_monthly_outflow: null, last_activity_at: null },
  socioeconomic_profile: {
    household_size: null,
    dependants: null,
    education_level: null,
    primary_income_source: null,
    years_farming: null,
    assets: [],
  },
};

const emptyFarm: Shape = {
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

/** A section as a partner sees it: its whole shape, in the interface's order, with what partners reported. */
export function sectionAnswer(profile: FarmerProfileRow, reported: ReportedItems, section: Section): Shape {
  const held = profile[section] as (Shape & { readonly data_as_of: string }) | null;
  const { data_as_of = profile.registered_at, ...known } = held ?? {};
  const shown = { ...empty[section], ...withoutNulls(known, empty[section]), ...fromReports(profile, reported, section) };
  return { ...shown, data_as_of };
}

/** Where the interface's shape has no null, null means as little as not sent. */
function withoutNulls(known: Shape, shape: Shape): Shape {
  const kept: [string, unknown][] = [];
  for (const field of Object.keys(known)) {
    const [value, plain] = [known[field], shape[field]];
    if (value !== null || plain == null) kept.push([field, isRecord(value) && isRecord(plain) ? { ...plain, ...withoutNulls(value, plain) } : value]);
  }
  return Object.fromEntries(kept);
}

function isRecord(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fromReports(profile: FarmerProfileRow, reported: ReportedItems, section: Section): Shape {
  switch (section) {
    case 'outstanding_loans':
      return {
        total_outstanding: toNaira(ownLoans(profile).reduce((sum, { currency, outstanding }) => sum + (currency === 'NGN' ? toKobo(outstanding) : 0), reported.loans?.total_kobo ?? 0)),
        svc_loans: ownLoans(profile).map((own) => ({ ...own, due_at: own.due_at ?? null })),
        partner_loans: reported.loans?.newest.map(loan) ?? [],
      };
    case 'credit_history':
      return { partner_reported_repayments: reported.repayments?.map((item) => ({ ...shared(item, 'lender_type'), paid_at: iso(item.occurred_at) })) ?? [] };
    case 'underwriting_value':
      return { total_active_coverage: toNaira(reported.policies?.total_kobo ?? 0), active_policies: reported.policies?.newest.map(policy) ?? [] };
    case 'farms':
      return {
        farms: (profile.farms as Held<'farms'> | null)?.farms?.map((farm) => ({ ...emptyFarm, ...withoutNulls(farm, emptyFarm) })) ?? [],
        harvests: reported.harvests?.map((item) => ({ ...goods(item), harvested_at: iso(item.occurred_at) })) ?? [],
        input_purchases: reported.input_purchases?.map((item) => ({ ...goods(item), purchased_at: iso(item.occurred_at) })) ?? [],
      };
    default:
      return {};
  }
}

function ownLoans({ outstanding_loans }: FarmerProfileRow): readonly SvcLoan[] {
  return (outstanding_loans as Held<'outstanding_loans'> | null)?.svc_loans ?? [];
}

function loan({ outstanding_minor, occurred_at, ...item }: Loan): Shape {
  const { currency, ...rest } = shared(item, 'lender_type');
  return { ...rest, outstanding: naira(outstanding_minor), currency, disbursed_at: iso(occurred_at) };
}

function policy({ contribution_id, amount_minor, currency, occurred_at, expires_at }: Policy): Shape {
  return { contribution_id, amount: naira(amount_minor), currency, issued_at: iso(occurred_at), expires_at: expires_at === null ? null : iso(expires_at) };
}

function goods(item: Goods): Shape {
  const { item: what = null, quantity = null, unit = null } = item.goods ?? {};
  return { ...shared(item, 'reporter_type'), item: what, quantity, unit };
}

/** Who reported is told by account type alone. */
function shared({ contribution_id, account_type, amount_minor, currency }: Omit<Goods, 'occurred_at' | 'goods'>, type: string): Shape {
  return { contribution_id, [type]: account_type, amount: naira(amount_minor), currency };
}

function naira(minor: number | null): number | null {
  return minor === null ? null : toNaira(minor);
}

/** Times inside of PostgreSQL's JSON have an offset of their own. */
function iso(time: string): string {
  return new Date(time).toISOString();
}
