import { ApiProperty } from '@nestjs/swagger';
import { IsObject, isObject, IsOptional } from 'class-validator';
import { TOMORROW } from '../../../http/openapi/moving-times.js';
import { Schema } from '../../../http/openapi/properties.js';
import { unknownField } from '../../../http/validating/field-errors.js';
import { IsDate8601, IsVatPercent, Required } from '../../../http/validating/validation.js';
import { type FieldErrors, sentenceOf } from '../../../kernel/validation-failed.js';
import { FEE_KEYS, type Fees } from '../domain/price-book.js';
import { MAX_DAYS_AHEAD } from '../domain/price-schedule.js';
import { FEES_EXAMPLE, SentBook } from '../showing/price-book-responses.dto.js';
import { isNaira, toKobo } from '../../../kernel/money.js';
import { Input } from '../../../http/validating/dto.js';

const MAX_FEE_NGN = 1_000_000;

@Schema('PublishPriceBook', { fees: FEES_EXAMPLE, vat_percent: 7.5, effective_at: TOMORROW })
export class PriceBookDto extends Input {
  @SentBook(MAX_FEE_NGN)
  @Required()
  @IsObject()
  fees: Record<string, number>;

  @ApiProperty({
    description:
      'Rate of the VAT that the fees of sections contain, in percent, with at most two decimals. Default: the rate that is in force at the call.',
  })
  @IsOptional()
  @IsVatPercent()
  vat_percent?: number | null;

  @ApiProperty({
    description: `ISO 8601 timestamp from which the fees are in force, at most ${MAX_DAYS_AHEAD} days ahead. From then on every lookup is charged by them. They replace fees that are scheduled and not in force yet. Default: at once.`,
  })
  @IsOptional()
  @IsDate8601()
  effective_at?: string | null;

  override problems(): FieldErrors {
    return isObject(this.fees) ? feeErrors(this.fees) : {};
  }
}

/** Returns messages by fee of a price book, which needs every known fee and no other. */
function feeErrors(fees: Readonly<Record<string, unknown>>): FieldErrors {
  const keys = [...new Set([...FEE_KEYS, ...Object.keys(fees)])];
  const checked = keys.map((key) => [`fees.${key}`, feeMessage(key, fees[key])] as const);
  return Object.fromEntries(checked.flatMap(([field, message]) => (message === undefined ? [] : [[field, [message]]])));
}

function feeMessage(key: string, fee: unknown): string | undefined {
  if (!(FEE_KEYS as readonly string[]).includes(key)) return unknownField('fees.', key, FEE_KEYS);
  if (fee === undefined) return sentenceOf(`fees.${key}`, 'is required');
  const isFee = isNaira(fee) && fee >= 0 && fee <= MAX_FEE_NGN;
  return isFee ? undefined : sentenceOf(`fees.${key}`, `must be an amount from 0 to ${MAX_FEE_NGN} with at most two decimals`);
}

export function feesInKobo({ fees }: Pick<PriceBookDto, 'fees'>): Fees {
  return Object.fromEntries(FEE_KEYS.map((key) => [key, toKobo(fees[key] as number)])) as Fees;
}
