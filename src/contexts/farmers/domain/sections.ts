import { type Section } from '../../../kernel/section-names.js';
import { Amount, Count, Currency, Dated, type FieldClass, Flag, ListOf, Nested, OneOf, Score, SomeOf, Text, Texts } from './fields.js';
import {
  Bvn,
  BureauReport,
  Farm,
  Harvest,
  InputPurchase,
  Nin,
  PartnerLoan,
  PartnerRepayment,
  Policy,
  Repayment,
  SvcLoan,
  TransactionSummary,
} from './section-items.js';

/**
 * Each section is defined once, by a class in this file (interface, section 2.5; decisions, "Sections"). The class determines the section's
 * TypeScript type, what PUT /admin/v1/farmers/{rupaId} accepts, what a lookup shows if nothing was recorded, the order of the fields and
 * the OpenAPI schemas. Recorded fields are optional properties; lookup-only fields are always present.
 */
abstract class RecordedSection {
  /** Defaults to the time of recording. */
  @Dated() readonly data_as_of?: string | null;
}

const KYC_STATUSES = ['pending', 'in_review', 'verified', 'rejected', 'expired'] as const;
const CONFIDENCES = ['low', 'medium', 'high'] as const;
const SOURCES = ['svc_platform', 'partner_network'] as const;

export class Identity extends RecordedSection {
  @Text() readonly full_name?: string | null;
  @Text() readonly first_name?: string | null;
  @Text() readonly last_name?: string | null;
  @Text({ max: 32 }) readonly gender?: string | null;
  @Dated() readonly date_of_birth?: string | null;
  @Text({ max: 32 }) readonly phone_number?: string | null;
  @Text() readonly state?: string | null;
  @Text({ description: 'Local government area.' }) readonly lga?: string | null;
  @Text() readonly community?: string | null;
  @Text({ max: 64, fallback: 'NG', description: 'ISO 3166 code.' }) readonly country?: string | null;
  @OneOf(KYC_STATUSES, { fallback: 'pending' }) readonly kyc_status?: (typeof KYC_STATUSES)[number] | null;
  @Dated() readonly kyc_verified_at?: string | null;
  @Flag() readonly identity_locked?: boolean | null;
  @Flag() readonly agent_enrolled?: boolean | null;
}

export class BvnNinData extends RecordedSection {
  @Nested(Bvn) readonly bvn?: Bvn | null;
  @Nested(Nin) readonly nin?: Nin | null;
  @Text({ fallback: 'none' }) readonly verification_source?: string | null;
  @OneOf(CONFIDENCES, { fallback: 'low' }) readonly overall_confidence?: (typeof CONFIDENCES)[number] | null;
}

export class CreditHistory extends RecordedSection {
  @Score() readonly credit_score?: number | null;
  @Text({ max: 64 }) readonly credit_rating?: string | null;
  @Texts({ fallback: null }) readonly score_factors?: readonly string[] | null;
  @Dated() readonly score_calculated_at?: string | null;
  @Count({ fallback: 0 }) readonly prior_formal_loans_count?: number | null;
  @Count({ fallback: 0 }) readonly prior_informal_loans_count?: number | null;
  @Flag() readonly prior_insurance_participation?: boolean | null;
  @Flag() readonly cooperative_membership?: boolean | null;
  @Flag() readonly vsla_membership?: boolean | null;
  @ListOf(Repayment, { shown: 'as-recorded' }) readonly repayment_record?: readonly Repayment[] | null;
  @ListOf(PartnerRepayment, { lookupOnly: true, description: 'Newest first, at most 100.' })
  readonly partner_reported_repayments: readonly PartnerRepayment[];
  @Nested(BureauReport, { shown: 'as-recorded' }) readonly bureau?: BureauReport | null;
}

export class OutstandingLoans extends RecordedSection {
  @Amount({ lookupOnly: true, fallback: 0, description: 'NGN. The sum of all loans in naira, including those beyond the newest 100.' })
  readonly total_outstanding: number;
  @Currency({ lookupOnly: true, fallback: 'NGN' }) readonly currency: string;
  @ListOf(SvcLoan, { shown: 'as-recorded' }) readonly svc_loans?: readonly SvcLoan[] | null;
  @ListOf(PartnerLoan, { lookupOnly: true }) readonly partner_loans: readonly PartnerLoan[];
}

export class TransactionVolume extends RecordedSection {
  @Currency({ fallback: 'NGN' }) readonly currency?: string | null;
  @SomeOf(SOURCES) readonly sources?: readonly (typeof SOURCES)[number][] | null;
  @Nested(TransactionSummary) readonly summary?: TransactionSummary | null;
}

export class Farms extends RecordedSection {
  @ListOf(Farm, { max: 100 }) readonly farms?: readonly Farm[] | null;
  @ListOf(Harvest, { lookupOnly: true }) readonly harvests: readonly Harvest[];
  @ListOf(InputPurchase, { lookupOnly: true }) readonly input_purchases: readonly InputPurchase[];
}

/** All of its content comes from partners' reports. */
class UnderwritingValue extends RecordedSection {
  @Currency({ lookupOnly: true, fallback: 'NGN' }) readonly currency: string;
  @Amount({ lookupOnly: true, fallback: 0, description: 'NGN. The sum of all policies in naira that have not ended.' })
  readonly total_active_coverage: number;
  @ListOf(Policy, { lookupOnly: true }) readonly active_policies: readonly Policy[];
}

export class FarmerWallet extends RecordedSection {
  @Currency({ fallback: 'NGN' }) readonly currency?: string | null;
  @Text({ max: 32 }) readonly status?: string | null;
  @Amount({ fallback: 0 }) readonly balance?: number | null;
  @Amount() readonly average_monthly_inflow?: number | null;
  @Amount() readonly average_monthly_outflow?: number | null;
  @Dated() readonly last_activity_at?: string | null;
}

export class SocioeconomicProfile extends RecordedSection {
  @Count({ max: 1_000 }) readonly household_size?: number | null;
  @Count({ max: 1_000 }) readonly dependants?: number | null;
  @Text({ max: 64 }) readonly education_level?: string | null;
  @Text({ max: 64 }) readonly primary_income_source?: string | null;
  @Count({ max: 150 }) readonly years_farming?: number | null;
  @Texts() readonly assets?: readonly string[] | null;
}

/** TypeScript accepts neither a section without a class nor a class without a section. */
export const SECTION_CLASSES = {
  identity: Identity,
  bvn_nin_data: BvnNinData,
  credit_history: CreditHistory,
  outstanding_loans: OutstandingLoans,
  transaction_volume: TransactionVolume,
  farms: Farms,
  underwriting_value: UnderwritingValue,
  wallet: FarmerWallet,
  socioeconomic_profile: SocioeconomicProfile,
} as const satisfies Readonly<Record<Section, FieldClass<RecordedSection>>>;

export type SectionOf<S extends Section> = InstanceType<(typeof SECTION_CLASSES)[S]>;

/** The recorded fields of a section. */
export type Recorded<T> = { readonly [F in keyof T as undefined extends T[F] ? F : never]?: T[F] };

/** The lookup-only fields of a section. */
export type LookupOnly<T> = { readonly [F in keyof T as undefined extends T[F] ? never : F]: T[F] };

/** A farmer's record by section, as administrators send it. Partners' reports are not part of it. */
export type FarmerRecord = { readonly phone_verified: boolean } & { readonly [S in Section]?: Recorded<SectionOf<S>> };
