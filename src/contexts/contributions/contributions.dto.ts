import { Transform } from 'class-transformer';
import { IsISO4217CurrencyCode, IsObject, IsOptional, IsString, MaxLength, Min, MinLength } from 'class-validator';
import { IsDate8601, IsNaira, IsRupaId, MaxBytes, Required, Verbatim } from '../../http/validation.js';

const MAX_PAYLOAD_BYTES = 16 * 1024;

/** Interface 2.3; decisions, "Contributions". */
export class ReportDto {
  @Required()
  @IsRupaId()
  rupa_id: string;

  @Required()
  @IsString()
  event: string;

  @IsOptional()
  @IsNaira()
  @Min(0)
  amount?: number | null;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toUpperCase() : value))
  @IsString()
  @IsISO4217CurrencyCode()
  currency?: string | null;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  partner_reference?: string | null;

  @IsOptional()
  @IsDate8601()
  occurred_at?: string | null;

  @IsOptional()
  @IsObject()
  @MaxBytes(MAX_PAYLOAD_BYTES)
  @Verbatim()
  payload?: Record<string, unknown> | null;
}
