import { ApiProperty } from '@nestjs/swagger';
import { IsObject, IsOptional } from 'class-validator';
import { Schema } from '../../http/openapi/example.js';
import { IsDate8601, Required } from '../../http/validation.js';
import { sentenceOf, ValidationFailed } from '../../kernel/validation-failed.js';
import { FEE_KEYS, type Fees, MAX_FEE_KOBO } from './domain/price-book.js';
import { MAX_DAYS_AHEAD } from './domain/price-schedule.js';
import { FEES_EXAMPLE, WholeBook } from './price-book-responses.dto.js';
import { isNaira, toKobo, toNaira } from '../../kernel/money.js';
import { Input } from '../../http/dto.js';

const MAX_FEE_NGN = toNaira(MAX_FEE_KOBO);

@Schema('PublishPriceBook', { fees: FEES_EXAMPLE, effective_at: '2026-04-01T00:00:00Z' })
export class PriceBookDto extends Input {
  @WholeBook()
  @Required()
  @IsObject()
  fees: Record<string, unknown>;

  @ApiProperty({
    description: `ISO 8601 timestamp from which the fees are in force, at most ${MAX_DAYS_AHEAD} days ahead. They are published within seconds of it, and replace fees that are scheduled already. Default: at once.`,
  })
  @IsOptional()
  @IsDate8601()
  effective_at?: string;
}

/** Validates the fees of a price book, which needs every known key and no other, and converts them to kobo. @throws ValidationFailed */
export function feesInKobo(fees: Readonly<Record<string, unknown>>): Fees {
  const errors: Record<string, string[]> = {};
  const known = new Set<string>(FEE_KEYS);
  for (const key of Object.keys(fees)) if (!known.has(key)) errors[`fees.${key}`] = [sentenceOf(`fees.${key}`, 'is not a known fee')];
  const entries = FEE_KEYS.flatMap((key) => {
    const fee = fees[key];
    if (fee === undefined) errors[`fees.${key}`] = [sentenceOf(`fees.${key}`, 'is required')];
    else if (!isNaira(fee) || fee < 0 || fee > MAX_FEE_NGN) {
      errors[`fees.${key}`] = [sentenceOf(`fees.${key}`, `must be an amount from 0 to ${MAX_FEE_NGN} with at most two decimals`)];
    } else return [[key, toKobo(fee)]];
    return [];
  });
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return Object.fromEntries(entries) as Fees;
}
