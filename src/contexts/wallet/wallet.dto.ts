import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { custom, IsDate8601, IsNaira, Required } from '../../http/validation.js';
import { parseChainHead } from './domain/verify-wallet.js';

/** REVISION:HASH of a wallet's entry. */
function IsChainHead(): PropertyDecorator {
  const isChainHead = (value: unknown): boolean => typeof value === 'string' && parseChainHead(value) !== undefined;
  return custom('isChainHead', isChainHead, {}, [], (field) => `The ${field} field must be REVISION:HASH, as a verification answered it.`);
}

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
