export const KYC_STATUSES = ['pending', 'in_review', 'verified', 'rejected', 'expired'] as const;
export const CONFIDENCES = ['low', 'medium', 'high'] as const;

interface Dated {
  /** ISO 8601; when it is not sent, the time of recording counts. */
  readonly data_as_of?: string | null;
}

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null };

export type Identity = Dated &
  Nullable<{
    full_name: string;
    first_name: string;
    last_name: string;
    gender: string;
    date_of_birth: string;
    phone_number: string;
    state: string;
    lga: string;
    community: string;
    country: string;
    kyc_status: (typeof KYC_STATUSES)[number];
    kyc_verified_at: string;
    identity_locked: boolean;
    agent_enrolled: boolean;
  }>;

export type BvnNinData = Dated &
  Nullable<{
    bvn: Nullable<{ verified: boolean; verified_at: string; masked: string; name_match: boolean; dob_match: boolean }>;
    nin: Nullable<{ verified: boolean; masked: string; cross_matched_with_bvn: boolean }>;
    verification_source: string;
    overall_confidence: (typeof CONFIDENCES)[number];
  }>;

export interface BureauReport {
  readonly bureau_name: string;
  readonly report_date: string;
  readonly score?: number | null;
  readonly active_facilities?: number | null;
  readonly delinquent_facilities?: number | null;
  /** NGN. */
  readonly total_outstanding?: number | null;
}

export interface Repayment {
  readonly due_at: string;
  readonly paid_at?: string | null;
  /** NGN. */
  readonly amount: number;
  readonly status: string;
}

export type CreditHistory = Dated &
  Nullable<{
    credit_score: number;
    credit_rating: string;
    score_factors: readonly string[];
    score_calculated_at: string;
    prior_formal_loans_count: number;
    prior_informal_loans_count: number;
    prior_insurance_participation: boolean;
    cooperative_membership: boolean;
    vsla_membership: boolean;
    repayment_record: readonly Repayment[];
    bureau: BureauReport;
  }>;

export interface SvcLoan {
  readonly loan_id: string;
  readonly amount: number;
  readonly outstanding: number;
  readonly currency: string;
  readonly disbursed_at: string;
  readonly due_at?: string | null;
  readonly status: string;
}

export type OutstandingLoans = Dated & Nullable<{ svc_loans: readonly SvcLoan[] }>;

interface Turnover {
  readonly total_received: number;
  readonly total_sent: number;
  readonly transaction_count: number;
}

export type TransactionVolume = Dated &
  Nullable<{
    currency: string;
    sources: readonly string[];
    summary: { readonly last_30_days: Turnover; readonly last_90_days: Turnover; readonly last_12_months: Turnover };
  }>;

export type Farm = { readonly farm_id: string } & Nullable<{
  name: string;
  state: string;
  lga: string;
  size_hectares: number;
  land_tenure: string;
  latitude: number;
  longitude: number;
  gps_verified: boolean;
  ndvi: number;
  crops: readonly string[];
  livestock: readonly string[];
}>;

export type Farms = Dated & Nullable<{ farms: readonly Farm[] }>;

export type UnderwritingValue = Dated;

export type FarmerWallet = Dated &
  Nullable<{
    currency: string;
    status: string;
    balance: number;
    average_monthly_inflow: number;
    average_monthly_outflow: number;
    last_activity_at: string;
  }>;

export type SocioeconomicProfile = Dated &
  Nullable<{
    household_size: number;
    dependants: number;
    education_level: string;
    primary_income_source: string;
    years_farming: number;
    assets: readonly string[];
  }>;

/** What is held of a farmer, section by section in the interface's shapes; what partners report is not part of it. */
export interface FarmerRecord {
  readonly phone_verified: boolean;
  readonly identity?: Identity;
  readonly bvn_nin_data?: BvnNinData;
  readonly credit_history?: CreditHistory;
  readonly outstanding_loans?: OutstandingLoans;
  readonly transaction_volume?: TransactionVolume;
  readonly farms?: Farms;
  readonly underwriting_value?: UnderwritingValue;
  readonly wallet?: FarmerWallet;
  readonly socioeconomic_profile?: SocioeconomicProfile;
}
