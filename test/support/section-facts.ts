/** Expectations for each section from the interface, for the end-to-end specs. A new section is added here. */

const turnover = { total_received: 100.5, total_sent: 50, transaction_count: 3 };

/** Each section as it is recorded, with all fields; a lookup returns the same. */
export const RECORD = {
  identity: {
    full_name: 'Aisha Bello',
    first_name: 'Aisha',
    last_name: 'Bello',
    gender: 'female',
    date_of_birth: '1990-01-02',
    phone_number: '+2348030000000',
    state: 'Kano',
    lga: 'Kura',
    community: 'Sabon Gari',
    country: 'NG',
    kyc_status: 'in_review',
    kyc_verified_at: null,
    identity_locked: true,
    agent_enrolled: true,
    data_as_of: '2026-01-01',
  },
  bvn_nin_data: {
    bvn: { verified: true, verified_at: '2025-01-01T10:00:00Z', masked: '*******1234', name_match: true, dob_match: false },
    nin: { verified: true, masked: '*******5678', cross_matched_with_bvn: true },
    verification_source: 'nibss',
    overall_confidence: 'high',
    data_as_of: '2026-01-02',
  },
  credit_history: {
    credit_score: 640,
    credit_rating: 'good',
    score_factors: ['repayment on time'],
    score_calculated_at: '2026-01-01',
    prior_formal_loans_count: 1,
    prior_informal_loans_count: 2,
    prior_insurance_participation: true,
    cooperative_membership: true,
    vsla_membership: false,
    repayment_record: [{ due_at: '2025-05-05', paid_at: null, amount: 10.25, status: 'missed' }],
    partner_reported_repayments: [],
    bureau: {
      bureau_name: 'B',
      report_date: '2026-02-01',
      score: 640,
      active_facilities: 1,
      delinquent_facilities: 0,
      total_outstanding: 7.5,
    },
    data_as_of: '2026-01-03',
  },
  outstanding_loans: {
    total_outstanding: 400.5,
    currency: 'NGN',
    svc_loans: [
      {
        loan_id: 'L1',
        amount: 1000,
        outstanding: 400.5,
        currency: 'NGN',
        disbursed_at: '2025-01-01',
        due_at: '2026-12-31',
        status: 'active',
      },
      { loan_id: 'L2', amount: 90, outstanding: 90, currency: 'USD', disbursed_at: '2025-01-01', due_at: null, status: 'active' },
    ],
    partner_loans: [],
    data_as_of: '2026-01-04',
  },
  transaction_volume: {
    currency: 'NGN',
    sources: ['svc_platform', 'partner_network'],
    summary: { last_30_days: turnover, last_90_days: turnover, last_12_months: turnover },
    data_as_of: '2026-01-05',
  },
  farms: {
    farms: [
      {
        farm_id: 'F1',
        name: 'River plot',
        state: 'Kano',
        lga: 'Kura',
        size_hectares: 1.25,
        land_tenure: 'owned',
        latitude: 11.7,
        longitude: 8.4,
        gps_verified: true,
        ndvi: 0.42,
        crops: ['maize'],
        livestock: ['goats'],
      },
    ],
    harvests: [],
    input_purchases: [],
    data_as_of: '2026-01-06',
  },
  underwriting_value: { currency: 'NGN', total_active_coverage: 0, active_policies: [], data_as_of: '2026-01-07' },
  wallet: {
    currency: 'NGN',
    status: 'active',
    balance: 12.5,
    average_monthly_inflow: 100,
    average_monthly_outflow: 90,
    last_activity_at: '2026-01-01T00:00:00Z',
    data_as_of: '2026-01-08',
  },
  socioeconomic_profile: {
    household_size: 6,
    dependants: 4,
    education_level: 'primary',
    primary_income_source: 'crop_farming',
    years_farming: 12,
    assets: ['bicycle'],
    data_as_of: '2026-01-09',
  },
};

/** Mandatory sections by account type (interface, section 5.7; decisions, "Sections"). */
export const MANDATORY = {
  bank: ['identity', 'bvn_nin_data', 'credit_history', 'outstanding_loans', 'transaction_volume'],
  insurer: ['identity', 'bvn_nin_data', 'farms', 'underwriting_value'],
  agtech: ['identity', 'farms', 'socioeconomic_profile'],
};
/** Fees in NGN, including pass-through fees (decisions, "Prices"). */
export const FEES = {
  identity: 50,
  bvn_nin_data: 50 + 60 + 60,
  credit_history: 100 + 500,
  outstanding_loans: 80,
  transaction_volume: 100,
  farms: 80,
  underwriting_value: 100,
  wallet: 50,
  socioeconomic_profile: 50,
};
