import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { Input, WholeNumber } from '../../http/validating/dto.js';
import { Schema } from '../../http/openapi/properties.js';
import { PageQueryDto } from '../../http/validating/paging.js';
import { NairaInQuery, OfFarmer, PeriodFrom, PeriodTo } from '../../http/validating/period-filter.js';
import { custom, IsDate8601, IsNaira, MaxLength, Required, ShortText } from '../../http/validating/validation.js';
import { type FieldErrors, sentenceOf } from '../../kernel/validation-failed.js';
import { CREDIT_KINDS, type CreditKind, DEFAULT_CREDIT_KIND, WALLET_EVENT_TYPES, type WalletEvent } from './domain/events.js';
import { CHAIN_HEAD_PATTERN, parseChainHead } from './domain/verify-wallet.js';
import { ENTRY_ORDERS, type EntryOrder } from './entries/get-wallet-entries.query.js';

/** Accepts REVISION:HASH, which identifies a wallet's entry. */
function IsChainHead(): PropertyDecorator {
  const isChainHead = (value: unknown): boolean => typeof value === 'string' && parseChainHead(value) !== undefined;
  return custom(
    'isChainHead',
    isChainHead,
    {},
    [CHAIN_HEAD_PATTERN],
    (field) => `The ${field} field must be REVISION:HASH, taken from the head of an earlier verification.`,
  );
}

export const ENTRIES_PER_PAGE = 100;

function deductionProblem(field: string, isExpense: boolean, isAll: boolean): [string, string[]][] {
  if (isExpense) return [[field, [sentenceOf(field, 'is for payments only')]]];
  return isAll ? [[field, [sentenceOf(field, 'leaves nothing of the amount: bank fee and withheld tax must be below it together')]]] : [];
}

@Schema('Credit', { amount: 50000, reference: 'transfer-1', kind: 'payment', reason: null })
export class CreditDto extends Input {
  @ApiProperty({ description: 'Amount in NGN.' })
  @Required()
  @IsNaira()
  @Min(0.01)
  amount: number;

  @ShortText('Idempotency key: a second credit with the same reference and amount adds nothing.')
  reference: string;

  @ApiProperty({
    description: 'Only a payment is posted to `cash_received`; the others are expenses of the service.',
    default: DEFAULT_CREDIT_KIND,
  })
  @IsOptional()
  @IsIn(CREDIT_KINDS)
  kind?: CreditKind | null;

  @ApiProperty({ description: 'NGN that the bank kept of a payment: a part of `amount`, posted to `bank_charges`.', default: 0 })
  @IsOptional()
  @IsNaira()
  @Min(0)
  bank_fee?: number | null;

  @ApiProperty({
    description: 'NGN that the partner withheld of a payment as tax: a part of `amount`, posted to `wht_receivable`.',
    default: 0,
  })
  @IsOptional()
  @IsNaira()
  @Min(0)
  withheld_tax?: number | null;

  @ApiProperty({ description: 'Reason of the credit, required unless it is a payment; shown with the entry.' })
  @IsOptional()
  @IsString()
  @MaxLength()
  reason?: string | null;

  /** A credit that nobody paid is an expense, which needs a reason and has nothing to deduct (finance, "Money in and out"). */
  override problems(): FieldErrors {
    const isExpense = this.kind !== 'payment' && CREDIT_KINDS.some((kind) => kind === this.kind);
    const deducted = (['bank_fee', 'withheld_tax'] as const).filter((field) => (this[field] ?? 0) > 0);
    const isAll = (this.bank_fee ?? 0) + (this.withheld_tax ?? 0) >= this.amount;
    return {
      ...(isExpense && !this.reason && { reason: [sentenceOf('reason', 'is required')] }),
      ...Object.fromEntries(deducted.flatMap((field) => deductionProblem(field, isExpense, isAll))),
    };
  }
}

@Schema('Reversal', { credit_reference: 'transfer-1', amount: 1500, reason: 'credited to the wrong partner', reference: 'reversal-1' })
export class ReversalDto extends Input {
  @ShortText('Reference of the credit to take back.')
  credit_reference: string;

  @ApiProperty({ description: 'Amount in NGN. Default: what is left of the credit.' })
  @IsOptional()
  @IsNaira()
  @Min(0.01)
  amount?: number | null;

  @ShortText('Shown with the entry.')
  reason: string;

  @ShortText('Idempotency key: a second reversal with the same reference takes back nothing.')
  reference: string;
}

@Schema('PayoutRequest', { amount: 12000, reference: 'payout-1', reason: 'the partner asked for it back' })
export class PayoutDto extends Input {
  @ApiProperty({ description: 'Amount in NGN, at most the balance.' })
  @Required()
  @IsNaira()
  @Min(0.01)
  amount: number;

  @ShortText('Idempotency key: a second payout with the same reference and amount pays out nothing.')
  reference: string;

  @ShortText('Shown with the entry.')
  reason: string;
}

@Schema('Compensation', { reason: 'the partner was shown a record of another season' })
export class CompensationDto extends Input {
  @ShortText('Shown with the entry.')
  reason: string;
}

export class BalanceQueryDto extends Input {
  @ApiProperty({
    description: 'ISO 8601 date or timestamp; the balance includes entries of that moment. Default: now.',
    example: '2026-03-01',
  })
  @IsOptional()
  @IsDate8601()
  at?: string;
}

export class VerificationQueryDto extends Input {
  @ApiProperty({
    description: 'REVISION:HASH of a `head` that was noted earlier; the verification checks that it is still in the chain.',
  })
  @IsOptional()
  @IsChainHead()
  since?: string;
}

export class EntriesQueryDto extends Input {
  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  @ApiProperty({ description: 'Revision of the first entry to list. Default: the oldest or, with `order=desc`, the newest.', example: 0 })
  from?: number;

  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(1)
  @Max(1_000)
  @ApiProperty({ default: ENTRIES_PER_PAGE, example: ENTRIES_PER_PAGE })
  limit?: number;

  @IsOptional()
  @IsIn(ENTRY_ORDERS)
  @ApiProperty({ description: '`asc`: oldest first; `desc`: newest first.', default: 'asc', example: 'asc' })
  order?: EntryOrder;

  @PeriodFrom('recorded_at') recorded_from?: string;
  @PeriodTo('recorded_at') recorded_to?: string;
  @OfFarmer('entries') rupa_id?: string;

  @IsOptional()
  @IsIn(WALLET_EVENT_TYPES)
  @ApiProperty({ description: 'Only entries of this type.', example: 'WalletCredited' })
  type?: WalletEvent['type'];

  @NairaInQuery('Only entries that change the balance by at least this much, up or down.') min_amount?: number;
  @NairaInQuery('Only entries that change the balance by at most this much, up or down.') max_amount?: number;
}

export const POINTS = 200;
const MAX_POINTS = 1_000;

export class BalancesQueryDto extends Input {
  @ApiProperty({ description: 'ISO 8601 date (from its beginning, UTC) or timestamp. Default: the first entry.', example: '2026-01-01' })
  @IsOptional()
  @IsDate8601()
  from?: string;

  @ApiProperty({ description: 'ISO 8601 date (to its end, UTC) or timestamp, inclusive. Default: now.', example: '2026-03-01' })
  @IsOptional()
  @IsDate8601()
  to?: string;

  @ApiProperty({ description: 'The largest number of balances, without that of the last entry.', default: POINTS, example: POINTS })
  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(2)
  @Max(MAX_POINTS)
  points?: number;
}

/** The query of a partner's own entries (decisions, "Paging"). */
export class OwnEntriesQueryDto extends PageQueryDto {
  @PeriodFrom('recorded_at') from?: string;
  @PeriodTo('recorded_at') to?: string;
  @OfFarmer('entries') rupa_id?: string;
}
