import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { IsChainHead, IsDate8601, IsNaira, Required } from '../../http/validation.js';

export class CreditDto {
  /** NGN. */
  @Required()
  @IsNaira()
  @Min(0.01)
  amount: number;

  @Required()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  reference: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  reason?: string | null;
}

export class BalanceQueryDto {
  @IsOptional()
  @IsDate8601()
  at?: string;
}

export class VerificationQueryDto {
  @IsOptional()
  @IsChainHead()
  since?: string;
}

export class EntriesQueryDto {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  from?: number;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  limit?: number;
}
