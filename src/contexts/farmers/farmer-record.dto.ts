import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, ValidateNested } from 'class-validator';
import { IsRupaId, Required } from '../../http/validation.js';
import { type FarmerRecord } from './domain/farmer-record.js';
import { CreditHistoryDto, OutstandingLoansDto, TransactionVolumeDto, UnderwritingValueDto, WalletDto } from './finance-sections.dto.js';
import { BvnNinDataDto, FarmsDto, IdentityDto, SocioeconomicProfileDto } from './personal-sections.dto.js';

/** PUT /admin/v1/farmers/{rupaId}: a section that is sent replaces that section, one that is not stays (admin.md). */
export class FarmerDto {
  @IsOptional()
  @IsIn(['live', 'sandbox'])
  mode?: 'live' | 'sandbox' | null;

  @IsOptional()
  @IsBoolean()
  phone_verified?: boolean;

  @IsOptional()
  @ValidateNested()
  @Type(() => IdentityDto)
  identity?: IdentityDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => BvnNinDataDto)
  bvn_nin_data?: BvnNinDataDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => CreditHistoryDto)
  credit_history?: CreditHistoryDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => OutstandingLoansDto)
  outstanding_loans?: OutstandingLoansDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => TransactionVolumeDto)
  transaction_volume?: TransactionVolumeDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => FarmsDto)
  farms?: FarmsDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => UnderwritingValueDto)
  underwriting_value?: UnderwritingValueDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => WalletDto)
  wallet?: WalletDto;

  @IsOptional()
  @ValidateNested()
  @Type(() => SocioeconomicProfileDto)
  socioeconomic_profile?: SocioeconomicProfileDto;
}

/** A line of `rupa farmers import`. */
export class ImportFarmerDto extends FarmerDto {
  @Required()
  @IsRupaId()
  rupa_id: string;
}

/** What is recorded of a DTO: its sections as plain JSON. A section sent as null is as one not sent. */
export function recordOf(dto: FarmerDto): Partial<FarmerRecord> {
  const { mode, rupa_id, ...sections } = dto as FarmerDto & { readonly rupa_id?: string };
  const sent = Object.entries(sections as Record<string, unknown>).filter(([, content]) => content !== null && content !== undefined);
  return JSON.parse(JSON.stringify(Object.fromEntries(sent))) as Partial<FarmerRecord>;
}
