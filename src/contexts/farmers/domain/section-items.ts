import { ACCOUNT_TYPES, type AccountType } from '../../../kernel/accounts.js';
import {
  ABSENT,
  Amount,
  Count,
  Currency,
  Dated,
  Degrees,
  Flag,
  Id,
  Nested,
  OneOf,
  Quantity,
  Score,
  Size,
  Text,
  Texts,
  Time,
  VegetationIndex,
} from './fields.js';

/** Nested objects of the sections in sections.ts: first those that administrators record, then those that come from partners' reports. */

export class Bvn {
  @Flag() readonly verified?: boolean | null;
  @Dated() readonly verified_at?: string | null;
  @Text({ max: 32 }) readonly masked?: string | null;
  @Flag() readonly name_match?: boolean | null;
  @Flag() readonly dob_match?: boolean | null;
}

export class Nin {
  @Flag() readonly verified?: boolean | null;
  @Text({ max: 32 }) readonly masked?: string | null;
  @Flag() readonly cross_matched_with_bvn?: boolean | null;
}

export class Repayment {
  @Dated({ required: true }) readonly due_at: string;
  @Dated({ fallback: ABSENT }) readonly paid_at?: string | null;
  @Amount({ required: true, description: 'NGN.' }) readonly amount: number;
  @Text({ required: true, max: 32 }) readonly status: string;
}

export class BureauReport {
  @Text({ required: true }) readonly bureau_name: string;
  @Dated({ required: true }) readonly report_date: string;
  @Score({ fallback: ABSENT }) readonly score?: number | null;
  @Count({ fallback: ABSENT }) readonly active_facilities?: number | null;
  @Count({ fallback: ABSENT }) readonly delinquent_facilities?: number | null;
  @Amount({ fallback: ABSENT, description: 'NGN.' }) readonly total_outstanding?: number | null;
}

export class SvcLoan {
  @Text({ required: true, max: 64 }) readonly loan_id: string;
  @Amount({ required: true }) readonly amount: number;
  @Amount({ required: true }) readonly outstanding: number;
  @Currency({ required: true }) readonly currency: string;
  @Dated({ required: true }) readonly disbursed_at: string;
  @Dated() readonly due_at?: string | null;
  @Text({ required: true, max: 32 }) readonly status: string;
}

export class Turnover {
  @Amount({ required: true, fallback: 0 }) readonly total_received: number;
  @Amount({ required: true, fallback: 0 }) readonly total_sent: number;
  @Count({ required: true, fallback: 0, max: undefined }) readonly transaction_count: number;
}

export class TransactionSummary {
  @Nested(Turnover, { required: true }) readonly last_30_days: Turnover;
  @Nested(Turnover, { required: true }) readonly last_90_days: Turnover;
  @Nested(Turnover, { required: true }) readonly last_12_months: Turnover;
}

export class Farm {
  @Text({ required: true, max: 64 }) readonly farm_id: string;
  @Text() readonly name?: string | null;
  @Text() readonly state?: string | null;
  @Text() readonly lga?: string | null;
  @Size({ max: 1_000_000 }) readonly size_hectares?: number | null;
  @Text({ max: 64 }) readonly land_tenure?: string | null;
  @Degrees({ max: 90 }) readonly latitude?: number | null;
  @Degrees({ max: 180 }) readonly longitude?: number | null;
  @Flag() readonly gps_verified?: boolean | null;
  @VegetationIndex() readonly ndvi?: number | null;
  @Texts() readonly crops?: readonly string[] | null;
  @Texts() readonly livestock?: readonly string[] | null;
}

/** A reported repayment. Like every item from partners' reports, it names the reporter's account type and never the partner. */
export class PartnerRepayment {
  @Id({ required: true }) readonly contribution_id: number;
  @OneOf(ACCOUNT_TYPES, { required: true }) readonly lender_type: AccountType;
  @Amount() readonly amount: number | null;
  @Currency({ required: true }) readonly currency: string;
  @Time({ required: true }) readonly paid_at: string;
}

export class PartnerLoan {
  @Id({ required: true }) readonly contribution_id: number;
  @OneOf(ACCOUNT_TYPES, { required: true }) readonly lender_type: AccountType;
  @Amount() readonly amount: number | null;
  @Amount({ description: 'Reduced by the repayments that reference the loan.' }) readonly outstanding: number | null;
  @Currency({ required: true }) readonly currency: string;
  @Time({ required: true }) readonly disbursed_at: string;
}

export class Policy {
  @Id({ required: true }) readonly contribution_id: number;
  @Amount() readonly amount: number | null;
  @Currency({ required: true }) readonly currency: string;
  @Time({ required: true }) readonly issued_at: string;
  @Time() readonly expires_at: string | null;
}

class ReportedGoods {
  @Id({ required: true }) readonly contribution_id: number;
  @OneOf(ACCOUNT_TYPES, { required: true }) readonly reporter_type: AccountType;
  @Amount() readonly amount: number | null;
  @Currency({ required: true }) readonly currency: string;
  @Text() readonly item: string | null;
  @Quantity() readonly quantity: number | null;
  @Text() readonly unit: string | null;
}

export class Harvest extends ReportedGoods {
  @Time({ required: true }) readonly harvested_at: string;
}

export class InputPurchase extends ReportedGoods {
  @Time({ required: true }) readonly purchased_at: string;
}
