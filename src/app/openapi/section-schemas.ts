import { CONFIDENCES, KYC_STATUSES } from '../../contexts/farmers/domain/farmer-record.js';
import { ACCOUNT_TYPES } from '../../kernel/account-types.js';
import { amount, count, date, flag, form, list, nullable, oneOf, type Properties, type Schema, shape, text, time } from './schema.js';

/** Fields of a section that an administrator records; a look-up shows them with what partners reported. */
const identity: Properties = {
  full_name: nullable(text()),
  first_name: nullable(text()),
  last_name: nullable(text()),
  gender: nullable(text()),
  date_of_birth: nullable(date()),
  phone_number: nullable(text()),
  state: nullable(text()),
  lga: nullable(text('Local government area.')),
  community: nullable(text()),
  country: text('ISO 3166 code.'),
  kyc_status: oneOf(KYC_STATUSES),
  kyc_verified_at: nullable(date()),
  identity_locked: flag,
  agent_enrolled: flag,
};

const bvn: Properties = { verified: flag, verified_at: nullable(date()), masked: nullable(text()), name_match: flag, dob_match: flag };
const nin: Properties = { verified: flag, masked: nullable(text()), cross_matched_with_bvn: flag };
const checks: Properties = { verification_source: text(), overall_confidence: oneOf(CONFIDENCES) };

const repayment: Properties = { due_at: date(), paid_at: nullable(date()), amount: amount('NGN.'), status: text() };
const bureau: Properties = {
  bureau_name: text(),
  report_date: date(),
  score: nullable({ type: 'integer' }),
  active_facilities: nullable(count),
  delinquent_facilities: nullable(count),
  total_outstanding: nullable(amount('NGN.')),
};
const credit: Properties = {
  credit_score: nullable({ type: 'integer' }),
  credit_rating: nullable(text()),
  score_factors: { type: ['array', 'null'], items: text() },
  score_calculated_at: nullable(date()),
  prior_formal_loans_count: count,
  prior_informal_loans_count: count,
  prior_insurance_participation: flag,
  cooperative_membership: flag,
  vsla_membership: flag,
};

const loan: Properties = {
  loan_id: text(),
  amount: amount(),
  outstanding: amount(),
  currency: text(),
  disbursed_at: date(),
  due_at: nullable(date()),
  status: text(),
};
const turnover = shape({ total_received: amount(), total_sent: amount(), transaction_count: count });
const transactions: Properties = {
  currency: text(),
  sources: list(oneOf(['svc_platform', 'partner_network'])),
  summary: shape({ last_30_days: turnover, last_90_days: turnover, last_12_months: turnover }),
};

const farm: Properties = {
  farm_id: text(),
  name: nullable(text()),
  state: nullable(text()),
  lga: nullable(text()),
  size_hectares: nullable(amount()),
  land_tenure: nullable(text()),
  latitude: nullable({ type: 'number' }),
  longitude: nullable({ type: 'number' }),
  gps_verified: flag,
  ndvi: nullable({ type: 'number', minimum: -1, maximum: 1 }),
  crops: list(text()),
  livestock: list(text()),
};

const wallet: Properties = {
  currency: text(),
  status: nullable(text()),
  balance: amount(),
  average_monthly_inflow: nullable(amount()),
  average_monthly_outflow: nullable(amount()),
  last_activity_at: nullable(date()),
};

const household: Properties = {
  household_size: nullable(count),
  dependants: nullable(count),
  education_level: nullable(text()),
  primary_income_source: nullable(text()),
  years_farming: nullable(count),
  assets: list(text()),
};

const dated: Properties = { data_as_of: text('How old the section is: an ISO 8601 date or timestamp.') };

/** What every item that a partner reported shows: never who reported it. */
const item: Properties = { contribution_id: { type: 'integer' }, amount: nullable(amount()), currency: text('ISO 4217.') };
const lender: Properties = { lender_type: oneOf(ACCOUNT_TYPES) };
const goods: Properties = {
  reporter_type: oneOf(ACCOUNT_TYPES),
  item: nullable(text()),
  quantity: nullable({ type: 'number' }),
  unit: nullable(text()),
};

/** Interface 2.5; decisions, "Sections". Lists of reported items show the newest 100, sums cover all. */
export const sectionSchemas: Readonly<Record<string, Schema>> = {
  Identity: shape({ ...identity, ...dated }),
  BvnNinData: shape({ bvn: shape(bvn), nin: shape(nin), ...checks, ...dated }),
  CreditHistory: shape({
    ...credit,
    repayment_record: list(shape(repayment, ['paid_at'])),
    partner_reported_repayments: list(shape({ ...item, ...lender, paid_at: time() }), { description: 'Newest first, at most 100.' }),
    bureau: { ...shape(bureau, ['score', 'active_facilities', 'delinquent_facilities', 'total_outstanding']), type: ['object', 'null'] },
    ...dated,
  }),
  OutstandingLoans: shape({
    total_outstanding: amount('NGN: all loans in naira, also those beyond the newest 100.'),
    currency: text(),
    svc_loans: list(shape(loan)),
    partner_loans: list(
      shape({ ...item, ...lender, outstanding: nullable(amount('Lowered by the repayments that name the loan.')), disbursed_at: time() }),
    ),
    ...dated,
  }),
  TransactionVolume: shape({ ...transactions, ...dated }),
  Farms: shape({
    farms: list(shape(farm)),
    harvests: list(shape({ ...item, ...goods, harvested_at: time() })),
    input_purchases: list(shape({ ...item, ...goods, purchased_at: time() })),
    ...dated,
  }),
  UnderwritingValue: shape({
    currency: text(),
    total_active_coverage: amount('NGN: all policies in naira that have not ended.'),
    active_policies: list(shape({ ...item, issued_at: time(), expires_at: nullable(time()) })),
    ...dated,
  }),
  Wallet: shape({ ...wallet, ...dated }),
  SocioeconomicProfile: shape({ ...household, ...dated }),
};

function recorded(properties: Properties): Schema {
  return form({ ...allNullable(properties), data_as_of: nullable(date()) });
}

function allNullable(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, nullable(schema)]));
}

/** Sections as administrators send and read them: whatever is not sent is not known. */
export const recordProperties: Properties = {
  phone_verified: flag,
  identity: recorded(identity),
  bvn_nin_data: recorded({ bvn: form(allNullable(bvn)), nin: form(allNullable(nin)), ...checks }),
  credit_history: recorded({
    ...credit,
    repayment_record: list(form(repayment, ['due_at', 'amount', 'status'])),
    bureau: form(bureau, ['bureau_name', 'report_date']),
  }),
  outstanding_loans: recorded({ svc_loans: list(form(loan, ['loan_id', 'amount', 'outstanding', 'currency', 'disbursed_at', 'status'])) }),
  transaction_volume: recorded(transactions),
  farms: recorded({ farms: list(form({ ...allNullable(farm), farm_id: text() }, ['farm_id'])) }),
  underwriting_value: recorded({}),
  wallet: recorded(wallet),
  socioeconomic_profile: recorded(household),
};
