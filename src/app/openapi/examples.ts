import { DEFAULT_PRICE_BOOK } from '../../contexts/pricing/domain/price-book.js';
import { priceBookView } from '../../contexts/pricing/price-book-view.js';

/** One farmer and one partner, who never lived, through all examples. */
export const lookupExample = {
  rupa_id: 'rp-spvyqbds',
  queried_at: '2026-03-09T14:30:00.000Z',
  identity: {
    full_name: 'Saater Kpamor',
    first_name: 'Saater',
    last_name: 'Kpamor',
    gender: 'male',
    date_of_birth: '1984-05-17',
    phone_number: '+2348030000000',
    state: 'Benue',
    lga: 'Gboko',
    community: null,
    country: 'NG',
    kyc_status: 'verified',
    kyc_verified_at: '2025-11-04T09:30:00Z',
    identity_locked: false,
    agent_enrolled: true,
    data_as_of: '2026-02-01',
  },
  outstanding_loans: {
    total_outstanding: 120000,
    currency: 'NGN',
    svc_loans: [],
    partner_loans: [
      {
        contribution_id: 4711,
        lender_type: 'bank',
        amount: 150000,
        outstanding: 120000,
        currency: 'NGN',
        disbursed_at: '2026-03-01T00:00:00.000Z',
      },
    ],
    data_as_of: '2026-02-01',
  },
  meta: {
    profile_tier: 'silver',
    profile_completeness: 65,
    tier_criteria: {
      bvn_verified: true,
      nin_verified: true,
      agent_enrolled: true,
      gps_farm: true,
      ndvi_present: false,
      harvest_history: false,
      phone_verified: false,
    },
    rupa_profile_url: 'https://rupa.example/p/rp-spvyqbds',
  },
  billing: { amount_charged: 130, currency: 'NGN', credits: 13, breakdown: { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 } },
};

const compliance = { lookups: 40, contributions_expected: 40, contributions_received: 38, compliance_rate: 0.95 };

export const meExample = {
  company_name: 'Savannah Demo Bank',
  account_type: 'bank',
  status: 'active',
  mode: 'sandbox',
  allowed_sections: ['identity', 'bvn_nin_data', 'credit_history', 'outstanding_loans', 'transaction_volume'],
  mandatory_sections: ['identity', 'bvn_nin_data', 'credit_history', 'outstanding_loans', 'transaction_volume'],
  contribution_events: ['loan_disbursed', 'loan_repayment', 'loan_defaulted'],
  wallet_balance: 98700,
  compliance,
};

export const partnerId = '0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11';

export const partnerExample = {
  partner_id: partnerId,
  company_name: 'Savannah Demo Bank',
  account_type: 'bank',
  mode: 'sandbox',
  status: 'active',
  optional_sections: ['farms'],
  ip_allow_list: ['203.0.113.0/24'],
  wallet_balance: 98700,
  compliance,
};

export const { fees: feesExample } = priceBookView(DEFAULT_PRICE_BOOK);

export const verificationExample = {
  ok: true,
  entries: 18,
  head: { revision: 17, hash: 'c0a1f3d2b4e5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff' },
  open_charges: 1,
  fault: null,
};

export const entryExample = {
  revision: 1,
  type: 'WalletDebited',
  recorded_at: '2026-03-09T14:30:00.000Z',
  amount: -130,
  balance_after: 98700,
  lookup_id: '7f1d5b52-3c7e-4d2b-9f27-1f4bb7a6a0c3',
  rupa_id: 'rp-spvyqbds',
  breakdown: { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 },
  reason: null,
  reference: null,
  hash: 'c0a1f3d2b4e5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff',
};
