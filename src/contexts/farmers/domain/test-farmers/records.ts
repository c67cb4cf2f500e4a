import { type FarmerRecord } from '../sections.js';
import { type SampleReports } from './test-farmer.js';

/** Everything in these records is fictitious. Partners write tests against them: a change needs a higher version of the definitions. */
const DAY = '2026-10-01';

function identity(first_name: string, last_name: string, gender: string, place: { state: string; lga: string; community: string }) {
  return {
    full_name: `${first_name} ${last_name}`,
    first_name,
    last_name,
    gender,
    date_of_birth: '1984-05-17',
    phone_number: '+2348000000000',
    ...place,
    country: 'NG',
    kyc_status: 'verified' as const,
    kyc_verified_at: '2026-02-11T09:30:00.000Z',
    identity_locked: false,
    agent_enrolled: true,
    data_as_of: DAY,
  };
}

const BVN = { verified: true, verified_at: '2026-02-11T09:31:00.000Z', masked: '*******0001', name_match: true, dob_match: true };
const NIN = { verified: true, masked: '*******0002', cross_matched_with_bvn: true };
const NOT_VERIFIED = {
  bvn: { verified: false, verified_at: null, masked: null, name_match: false, dob_match: false },
  nin: { verified: false, masked: null, cross_matched_with_bvn: false },
};

const turnover = (total_received: number, total_sent: number, transaction_count: number) => ({
  total_received,
  total_sent,
  transaction_count,
});

export const GOLD: FarmerRecord = {
  phone_verified: true,
  identity: { ...identity('Halima', 'Gold', 'female', { state: 'Benue', lga: 'Gboko', community: 'Mkar' }), identity_locked: true },
  bvn_nin_data: { bvn: BVN, nin: NIN, verification_source: 'nibss', overall_confidence: 'high', data_as_of: DAY },
  credit_history: {
    credit_score: 782,
    credit_rating: 'A',
    score_factors: ['repayment on time', 'stable inflows'],
    score_calculated_at: '2026-09-30T06:00:00.000Z',
    prior_formal_loans_count: 3,
    prior_informal_loans_count: 1,
    prior_insurance_participation: true,
    cooperative_membership: true,
    vsla_membership: true,
    repayment_record: [
      { due_at: '2025-11-30', paid_at: '2025-11-28', amount: 60_000, status: 'paid' },
      { due_at: '2025-12-31', paid_at: '2025-12-30', amount: 60_000, status: 'paid' },
    ],
    bureau: null,
    data_as_of: DAY,
  },
  outstanding_loans: {
    svc_loans: [
      {
        loan_id: 'TEST-LOAN-1',
        amount: 250_000,
        outstanding: 100_000,
        currency: 'NGN',
        disbursed_at: '2026-03-02',
        due_at: '2026-12-31',
        status: 'active',
      },
    ],
    data_as_of: DAY,
  },
  transaction_volume: {
    currency: 'NGN',
    sources: ['svc_platform', 'partner_network'],
    summary: {
      last_30_days: turnover(180_000, 120_000, 14),
      last_90_days: turnover(520_000, 390_000, 41),
      last_12_months: turnover(2_100_000, 1_650_000, 160),
    },
    data_as_of: DAY,
  },
  farms: {
    farms: [
      {
        farm_id: 'TEST-FARM-1',
        name: 'River plot',
        state: 'Benue',
        lga: 'Gboko',
        size_hectares: 2.4,
        land_tenure: 'owned',
        latitude: 7.3251,
        longitude: 9.0051,
        gps_verified: true,
        ndvi: 0.61,
        crops: ['yam', 'maize'],
        livestock: ['goats'],
      },
    ],
    data_as_of: DAY,
  },
  underwriting_value: { data_as_of: DAY },
  wallet: {
    currency: 'NGN',
    status: 'active',
    balance: 84_500.5,
    average_monthly_inflow: 175_000,
    average_monthly_outflow: 137_500,
    last_activity_at: '2026-09-29T12:00:00.000Z',
    data_as_of: DAY,
  },
  socioeconomic_profile: {
    household_size: 6,
    dependants: 4,
    education_level: 'secondary',
    primary_income_source: 'crop_farming',
    years_farming: 19,
    assets: ['motorcycle', 'water pump'],
    data_as_of: DAY,
  },
};

/** Fewer verified facts than gold: no NIN and no satellite data. */
export const SILVER: FarmerRecord = {
  ...GOLD,
  identity: identity('Sani', 'Silver', 'male', { state: 'Kano', lga: 'Bichi', community: 'Badume' }),
  bvn_nin_data: { bvn: BVN, nin: NOT_VERIFIED.nin, verification_source: 'nibss', overall_confidence: 'medium', data_as_of: DAY },
  credit_history: { ...GOLD.credit_history, credit_score: 648, credit_rating: 'B', score_factors: ['short history'] },
  farms: { ...GOLD.farms, farms: [{ farm_id: 'TEST-FARM-2', state: 'Kano', lga: 'Bichi', size_hectares: 1.1, gps_verified: true }] },
};

/** Enrolled by himself, with the BVN as the only verified document and no located farm. */
export const BRONZE: FarmerRecord = {
  ...GOLD,
  identity: { ...identity('Bala', 'Bronze', 'male', { state: 'Oyo', lga: 'Saki West', community: 'Ogboro' }), agent_enrolled: false },
  bvn_nin_data: { bvn: BVN, nin: NOT_VERIFIED.nin, verification_source: 'nibss', overall_confidence: 'medium', data_as_of: DAY },
  credit_history: { ...GOLD.credit_history, credit_score: 471, credit_rating: 'D', score_factors: ['missed repayments'] },
  farms: { ...GOLD.farms, farms: [{ farm_id: 'TEST-FARM-3', state: 'Oyo', lga: 'Saki West', size_hectares: 0.6, crops: ['cassava'] }] },
};

export const NO_LOANS: FarmerRecord = {
  ...SILVER,
  identity: identity('Nneka', 'Noloans', 'female', { state: 'Enugu', lga: 'Nsukka', community: 'Obukpa' }),
  credit_history: {
    ...SILVER.credit_history,
    prior_formal_loans_count: 0,
    prior_informal_loans_count: 0,
    score_factors: ['no loans'],
    repayment_record: [],
  },
  outstanding_loans: { svc_loans: [], data_as_of: DAY },
};

/** Nothing is verified, so the score could not be calculated either. */
export const UNVERIFIED: FarmerRecord = {
  ...BRONZE,
  phone_verified: false,
  identity: {
    ...identity('Uche', 'Unverified', 'male', { state: 'Imo', lga: 'Orlu', community: 'Umuna' }),
    kyc_status: 'pending',
    kyc_verified_at: null,
    agent_enrolled: false,
  },
  bvn_nin_data: { ...NOT_VERIFIED, verification_source: 'none', overall_confidence: 'low', data_as_of: DAY },
  credit_history: {
    ...NO_LOANS.credit_history,
    credit_score: null,
    credit_rating: null,
    score_factors: null,
    score_calculated_at: null,
  },
  farms: { ...GOLD.farms, farms: [{ farm_id: 'TEST-FARM-5', state: 'Imo', lga: 'Orlu', size_hectares: 0.8, gps_verified: false }] },
};

export const BUREAU: FarmerRecord = {
  ...SILVER,
  identity: identity('Bisi', 'Bureau', 'female', { state: 'Ogun', lga: 'Ijebu North', community: 'Oru' }),
  credit_history: {
    ...SILVER.credit_history,
    bureau: {
      bureau_name: 'Test Credit Bureau',
      report_date: '2026-09-15',
      score: 655,
      active_facilities: 2,
      delinquent_facilities: 0,
      total_outstanding: 180_000,
    },
  },
};

const silver = (first: string, last: string): FarmerRecord => ({
  ...SILVER,
  identity: identity(first, last, 'male', { state: 'Osun', lga: 'Iwo', community: 'Oluponna' }),
});

export const FAILING = silver('Femi', 'Failing');
export const NO_MONEY = silver('Nuhu', 'No-Money');
export const LIMITED = silver('Lanre', 'Limited');
export const BUSY = silver('Bode', 'Busy');
export const SLOW = silver('Sani', 'Slow');

/** Contributions get ids from 1 on, so that these never collide with a contribution of a partner. */
const FIRST_SAMPLE_ID = 9_000_000_000_001;
const NGN = { currency: 'NGN' };

export const NO_REPORTS: SampleReports = { loans: [], repayments: [], policies: [], harvests: [], input_purchases: [] };

const INPUT_PURCHASE = {
  ...NGN,
  contribution_id: FIRST_SAMPLE_ID + 4,
  account_type: 'agtech',
  amount_minor: 45_000_00,
  occurred_at: '2026-04-20T09:00:00.000Z',
  goods: { item: 'NPK fertiliser', quantity: 6, unit: 'bags' },
} as const;

/** A season as a bank, an insurer and an agtech company would have reported it. */
export const SEASON: SampleReports = {
  loans: [
    {
      ...NGN,
      contribution_id: FIRST_SAMPLE_ID,
      account_type: 'bank',
      amount_minor: 150_000_00,
      outstanding_minor: 120_000_00,
      occurred_at: '2026-03-02T09:00:00.000Z',
    },
  ],
  repayments: [
    {
      ...NGN,
      contribution_id: FIRST_SAMPLE_ID + 1,
      account_type: 'bank',
      amount_minor: 30_000_00,
      occurred_at: '2026-09-15T09:00:00.000Z',
    },
  ],
  policies: [
    {
      ...NGN,
      contribution_id: FIRST_SAMPLE_ID + 2,
      account_type: 'insurer',
      amount_minor: 200_000_00,
      occurred_at: '2026-04-01T09:00:00.000Z',
      expires_at: null,
    },
  ],
  harvests: [
    {
      ...NGN,
      contribution_id: FIRST_SAMPLE_ID + 3,
      account_type: 'agtech',
      amount_minor: 210_000_00,
      occurred_at: '2026-08-28T09:00:00.000Z',
      goods: { item: 'maize', quantity: 1.8, unit: 't' },
    },
  ],
  input_purchases: [INPUT_PURCHASE],
};

export const SEASON_WITHOUT_HARVEST: SampleReports = { ...SEASON, harvests: [] };
export const SEASON_WITHOUT_LOANS: SampleReports = { ...SEASON, loans: [], repayments: [] };
export const INPUTS_ONLY: SampleReports = { ...NO_REPORTS, input_purchases: [INPUT_PURCHASE] };
