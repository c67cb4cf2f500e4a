import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsDate8601, Required } from '../../http/validation.js';
import { CONFIDENCES, KYC_STATUSES } from './domain/farmer-record.js';
import { DatedDto, OptionalFlag, OptionalText, OptionalTexts } from './section-fields.js';

export class IdentityDto extends DatedDto {
  @OptionalText() full_name?: string | null;
  @OptionalText() first_name?: string | null;
  @OptionalText() last_name?: string | null;
  @OptionalText(32) gender?: string | null;
  @IsOptional() @IsDate8601() date_of_birth?: string | null;
  @OptionalText(32) phone_number?: string | null;
  @OptionalText() state?: string | null;
  @OptionalText() lga?: string | null;
  @OptionalText() community?: string | null;
  @OptionalText(64) country?: string | null;
  @IsOptional() @IsIn(KYC_STATUSES) kyc_status?: (typeof KYC_STATUSES)[number] | null;
  @IsOptional() @IsDate8601() kyc_verified_at?: string | null;
  @OptionalFlag() identity_locked?: boolean | null;
  @OptionalFlag() agent_enrolled?: boolean | null;
}

export class BvnDto {
  @OptionalFlag() verified?: boolean | null;
  @IsOptional() @IsDate8601() verified_at?: string | null;
  @OptionalText(32) masked?: string | null;
  @OptionalFlag() name_match?: boolean | null;
  @OptionalFlag() dob_match?: boolean | null;
}

export class NinDto {
  @OptionalFlag() verified?: boolean | null;
  @OptionalText(32) masked?: string | null;
  @OptionalFlag() cross_matched_with_bvn?: boolean | null;
}

export class BvnNinDataDto extends DatedDto {
  @IsOptional() @ValidateNested() @Type(() => BvnDto) bvn?: BvnDto | null;
  @IsOptional() @ValidateNested() @Type(() => NinDto) nin?: NinDto | null;
  @OptionalText() verification_source?: string | null;
  @IsOptional() @IsIn(CONFIDENCES) overall_confidence?: (typeof CONFIDENCES)[number] | null;
}

export class FarmDto {
  @Required() @IsString() @MaxLength(64) farm_id: string;
  @OptionalText() name?: string | null;
  @OptionalText() state?: string | null;
  @OptionalText() lga?: string | null;
  @IsOptional() @IsNumber() @Min(0) @Max(1_000_000) size_hectares?: number | null;
  @OptionalText(64) land_tenure?: string | null;
  @IsOptional() @IsNumber() @Min(-90) @Max(90) latitude?: number | null;
  @IsOptional() @IsNumber() @Min(-180) @Max(180) longitude?: number | null;
  @IsOptional() @IsBoolean() gps_verified?: boolean | null;
  @IsOptional() @IsNumber() @Min(-1) @Max(1) ndvi?: number | null;
  @OptionalTexts() crops?: string[] | null;
  @OptionalTexts() livestock?: string[] | null;
}

export class FarmsDto extends DatedDto {
  @IsOptional() @IsArray() @ArrayMaxSize(100) @ValidateNested({ each: true }) @Type(() => FarmDto) farms?: FarmDto[] | null;
}

export class SocioeconomicProfileDto extends DatedDto {
  @IsOptional() @IsInt() @Min(0) @Max(1_000) household_size?: number | null;
  @IsOptional() @IsInt() @Min(0) @Max(1_000) dependants?: number | null;
  @OptionalText(64) education_level?: string | null;
  @OptionalText(64) primary_income_source?: string | null;
  @IsOptional() @IsInt() @Min(0) @Max(150) years_farming?: number | null;
  @OptionalTexts() assets?: string[] | null;
}
