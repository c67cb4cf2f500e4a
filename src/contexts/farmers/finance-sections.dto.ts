import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { IsDate8601, IsNaira, Required } from '../../http/validation.js';
import { DatedDto, OptionalAmount, OptionalCount, OptionalFlag, OptionalText, OptionalTexts } from './section-fields.js';

const SOURCES = ['svc_platform', 'partner_network'] as const;

export class RepaymentDto {
  @Required() @IsDate8601() due_at: string;
  @IsOptional() @IsDate8601() paid_at?: string | null;
  @Required() @IsNaira() @Min(0) amount: number;
  @Required() @IsString() @MaxLength(32) status: string;
}

export class BureauReportDto {
  @Required() @IsString() @MaxLength(255) bureau_name: string;
  @Required() @IsDate8601() report_date: string;
  @IsOptional() @IsInt() @Min(0) @Max(1_000) score?: number | null;
  @OptionalCount() active_facilities?: number | null;
  @OptionalCount() delinquent_facilities?: number | null;
  @OptionalAmount() total_outstanding?: number | null;
}

export class CreditHistoryDto extends DatedDto {
  @IsOptional() @IsInt() @Min(0) @Max(1_000) credit_score?: number | null;
  @OptionalText(64) credit_rating?: string | null;
  @OptionalTexts() score_factors?: string[] | null;
  @IsOptional() @IsDate8601() score_calculated_at?: string | null;
  @OptionalCount() prior_formal_loans_count?: number | null;
  @OptionalCount() prior_informal_loans_count?: number | null;
  @OptionalFlag() prior_insurance_participation?: boolean | null;
  @OptionalFlag() cooperative_membership?: boolean | null;
  @OptionalFlag() vsla_membership?: boolean | null;
  @IsOptional() @IsArray() @ArrayMaxSize(500) @ValidateNested({ each: true }) @Type(() => RepaymentDto) repayment_record?:
    RepaymentDto[] | null;
  @IsOptional() @ValidateNested() @Type(() => BureauReportDto) bureau?: BureauReportDto | null;
}

export class SvcLoanDto {
  @Required() @IsString() @MaxLength(64) loan_id: string;
  @Required() @IsNaira() @Min(0) amount: number;
  @Required() @IsNaira() @Min(0) outstanding: number;
  @Required() @IsString() @MaxLength(3) currency: string;
  @Required() @IsDate8601() disbursed_at: string;
  @IsOptional() @IsDate8601() due_at?: string | null;
  @Required() @IsString() @MaxLength(32) status: string;
}

export class OutstandingLoansDto extends DatedDto {
  @IsOptional() @IsArray() @ArrayMaxSize(500) @ValidateNested({ each: true }) @Type(() => SvcLoanDto) svc_loans?: SvcLoanDto[] | null;
}

export class TurnoverDto {
  @Required() @IsNaira() @Min(0) total_received: number;
  @Required() @IsNaira() @Min(0) total_sent: number;
  @Required() @IsInt() @Min(0) transaction_count: number;
}

export class TransactionSummaryDto {
  @Required() @ValidateNested() @Type(() => TurnoverDto) last_30_days: TurnoverDto;
  @Required() @ValidateNested() @Type(() => TurnoverDto) last_90_days: TurnoverDto;
  @Required() @ValidateNested() @Type(() => TurnoverDto) last_12_months: TurnoverDto;
}

export class TransactionVolumeDto extends DatedDto {
  @OptionalText(3) currency?: string | null;
  @IsOptional() @IsArray() @ArrayMaxSize(2) @IsIn(SOURCES, { each: true }) sources?: (typeof SOURCES)[number][] | null;
  @IsOptional() @ValidateNested() @Type(() => TransactionSummaryDto) summary?: TransactionSummaryDto | null;
}

/** All it shows comes from partners' reports. */
export class UnderwritingValueDto extends DatedDto {}

export class WalletDto extends DatedDto {
  @OptionalText(3) currency?: string | null;
  @OptionalText(32) status?: string | null;
  @OptionalAmount() balance?: number | null;
  @OptionalAmount() average_monthly_inflow?: number | null;
  @OptionalAmount() average_monthly_outflow?: number | null;
  @IsOptional() @IsDate8601() last_activity_at?: string | null;
}
