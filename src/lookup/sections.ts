import { type FarmerProfileRow } from '../../projections/farmer-profile/farmer-profile.projection.js';
import { type FarmerRecord, type Section } from '../farmers/domain/farmer-record.js';

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

/** A section as a partner sees it: its whole shape, in the interface's order. */
export function sectionAnswer(profile: FarmerProfileRow, section: Section): Shape {
  const held = profile[section] as (Shape & { readonly data_as_of: string }) | null;
  const { data_as_of = profile.registered_at, ...known } = held ?? {};
  const shown = { ...empty[section], ...known, ...computed(profile, section) };
  return { ...shown, data_as_of };
}

function computed(profile: FarmerProfileRow, section: Section): Shape {
  if (section !== 'outstanding_loans') return {};
  const loans = (profile.outstanding_loans as Held<'outstanding_loans'> | null)?.svc_loans ?? [];
  const inNaira = loans.filter(({ currency }) => currency === 'NGN');
  return { total_outstanding: inNaira.reduce((sum, { outstanding }) => sum + Math.round(outstanding * 100), 0) / 100 };
}
