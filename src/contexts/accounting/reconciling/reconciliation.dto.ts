import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import {
  Count,
  Decimal,
  EXAMPLE,
  Flag,
  Integer,
  ListOf,
  Naira,
  Nested,
  OneOf,
  Schema,
  Text,
  Texts,
} from '../../../http/openapi/properties.js';
import { Converted, Input, WholeNumber } from '../../../http/validating/dto.js';
import { IsDay, IsNaira, MaxLength, Required } from '../../../http/validating/validation.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../../kernel/accounts.js';
import { parseNaira, toNaira } from '../../../kernel/money.js';
import { type FieldErrors } from '../../../kernel/validation-failed.js';
import { type DateOrder } from '../domain/reconciling/bank-dates.js';
import { UNUSED } from '../domain/reconciling/bank-rows.js';
import { EXPLANATIONS, MOVEMENT_KINDS, type Explanation, type MovementKind } from '../domain/reconciling/movements.js';
import { type NotCredited, type Skipped } from '../domain/reconciling/reconcile.js';
import { type DifferingField } from '../domain/reconciling/settle.js';
import { EVIDENCE, type Evidence } from '../domain/reconciling/taken-back.js';

const MAX_COLUMN = 200;
export const DEFAULT_DAYS = 3;
const MAX_DAYS = 366;
const MAX_TOLERANCE = 1_000_000;

const EITHER = 'The amount field must name a column, or credit must, with or without debit, and not both.';

/** The parameters that a command takes as options of its own. */
export class ReconcileOptionsDto extends Input {
  @ApiProperty({ description: 'Whose wallets and entries are compared.', default: DEFAULT_MODE, example: 'live' })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode;

  @ApiProperty({
    description: 'Days by which a movement may be recorded before or after the bank’s date.',
    default: DEFAULT_DAYS,
    example: 3,
  })
  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(0)
  @Max(MAX_DAYS)
  days?: number;

  @ApiProperty({ description: 'NGN by which a bank’s amount may differ from the books.', default: 0, example: 0.5 })
  @IsOptional()
  @Converted(nairaOf)
  @IsNaira()
  @Min(0)
  @Max(MAX_TOLERANCE)
  tolerance?: number;

  @ApiProperty({
    description: 'First day (UTC) of the movements that need a row. Default: the first date of the file, less `days`.',
    example: '2026-03-01',
  })
  @IsOptional()
  @IsDay()
  from?: string;

  @ApiProperty({
    description: 'Last day (UTC) of the movements that need a row. Default: the last date of the file, plus `days`.',
    example: '2026-03-31',
  })
  @IsOptional()
  @IsDay()
  to?: string;
}

export class ReconcileBankQueryDto extends ReconcileOptionsDto {
  @ApiProperty({ description: 'Name of the column with the date.', example: 'Value Date' })
  @Required()
  @IsString()
  @MaxLength(MAX_COLUMN)
  date: string;

  @ApiProperty({ description: 'Name of the column in whose text references are found, such as the narration.', example: 'Narration' })
  @Required()
  @IsString()
  @MaxLength(MAX_COLUMN)
  reference: string;

  @ApiProperty({ description: 'Name of the column with signed amounts, in place of `credit` and `debit`.' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_COLUMN)
  amount?: string;

  @ApiProperty({ description: 'Name of the column with money in.', example: 'Credit' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_COLUMN)
  credit?: string;

  @ApiProperty({ description: 'Name of the column with money out. It goes with `credit`.', example: 'Debit' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_COLUMN)
  debit?: string;

  override problems(): FieldErrors {
    const { amount, credit, debit, from, to } = this;
    return {
      ...(!amount === !credit ? { amount: [EITHER] } : {}),
      ...(debit && !credit ? { debit: ['The debit field must come with credit: a column of signed amounts is named by amount.'] } : {}),
      ...(from && to && from > to ? { to: ['The to field must not be before from.'] } : {}),
    };
  }
}

/** Converts decimal text; any other is left for validation to refuse. */
function nairaOf(value: unknown): unknown {
  const kobo = typeof value === 'string' ? parseNaira(value) : undefined;
  return kobo === undefined ? value : toNaira(kobo);
}

const ROW = { line: 9, date: '2026-03-02', amount: 49950, narration: 'NIP/SAHEL SAVINGS/INV-2031' };
const MOVEMENT = {
  kind: 'payment',
  entry_kind: null,
  partner_id: EXAMPLE.partner_id,
  company_name: 'Sahel Savings Bank',
  revision: 17,
  reference: 'INV-2031',
  date: '2026-03-02',
  amount: 49900,
  reversed: 0,
  bank_fee: 50,
  withheld_tax: 0,
};
const DIFFERENCE = { amount: 50, because: 'bank_fee' };
const SKIPPED = { line: 40, date: null, amount: null, narration: 'Closing balance', why: 'balance', counterpart: null, by: null };
const SIGNED = 'NGN; money out is negative.';

@Schema('BankRow', ROW)
export class BankRowView {
  @Count('Line of the text, or row of the sheet, from 1.') readonly line: number;
  @Text('The bank’s date, as yyyy-mm-dd.') readonly date: string;
  @Decimal(SIGNED) readonly amount: number;
  @Text('The text of the column `reference`, up to 1,000 characters.') readonly narration: string;
}

/** A movement of cash in the books. */
@Schema('CashMovement', MOVEMENT)
export class CashMovementView {
  @OneOf(MOVEMENT_KINDS, 'A credit of the kind `payment`, a payout, or an entry of the ledger.') readonly kind: MovementKind;
  @Text({ nullable: true, description: 'Kind of an entry of the ledger; else null.' }) readonly entry_kind: string | null;
  @Text({ nullable: true, description: 'Null for an entry of the ledger.' }) readonly partner_id: string | null;
  @Text({ nullable: true, description: 'Null for an entry of the ledger.' }) readonly company_name: string | null;
  @Count({ nullable: true, description: 'Revision of the entry in the wallet.' }) readonly revision: number | null;
  @Text() readonly reference: string;
  @Text('The day on which it was recorded or, of an entry of the ledger, its date (UTC).') readonly date: string;
  @Decimal('NGN that the bank’s row should have: a payment less bank fee and withheld tax, and less `reversed`. Money out is negative.')
  readonly amount: number;
  @Naira('NGN of cash that reversals took back.') readonly reversed: number;
  @Naira('NGN that the bank kept.') readonly bank_fee: number;
  @Naira('NGN that the partner withheld as tax.') readonly withheld_tax: number;
}

@Schema('ExplainedDifference', DIFFERENCE)
export class ExplainedDifferenceView {
  @Decimal('NGN by which the bank’s amount is larger.') readonly amount: number;
  @OneOf(EXPLANATIONS) readonly because: Explanation;
}

const NO_DIFFERENCE = { nullable: true, description: 'Null if the amounts are equal.' };

@Schema('MatchedRow', { row: ROW, movement: MOVEMENT, difference: DIFFERENCE })
export class MatchedRowView {
  @Nested(BankRowView) readonly row: BankRowView;
  @Nested(CashMovementView) readonly movement: CashMovementView;
  @Nested(ExplainedDifferenceView, NO_DIFFERENCE) readonly difference: ExplainedDifferenceView | null;
}

@Schema('SplitPayment', { rows: [ROW], movement: MOVEMENT, difference: null })
export class SplitPaymentView {
  @ListOf(BankRowView) readonly rows: readonly BankRowView[];
  @Nested(CashMovementView) readonly movement: CashMovementView;
  @Nested(ExplainedDifferenceView, NO_DIFFERENCE) readonly difference: ExplainedDifferenceView | null;
}

@Schema('NotCreditedRow', { row: ROW, why: 'no_reference', movement: null })
export class NotCreditedRowView {
  @Nested(BankRowView) readonly row: BankRowView;
  @OneOf(['no_reference', 'paid_twice'], 'No known reference is in the narration, or its movement has its payment already.')
  readonly why: NotCredited['why'];
  @Nested(CashMovementView, { nullable: true }) readonly movement: CashMovementView | null;
}

@Schema('DifferentRows', { fields: ['amount'], rows: [ROW], movement: MOVEMENT })
export class DifferentRowsView {
  @Texts(['amount', 'date'], 'In what they differ.') readonly fields: readonly DifferingField[];
  @ListOf(BankRowView) readonly rows: readonly BankRowView[];
  @Nested(CashMovementView) readonly movement: CashMovementView;
}

@Schema('AmbiguousRow', { row: ROW, movements: [MOVEMENT], count: 1 })
export class AmbiguousRowView {
  @Nested(BankRowView) readonly row: BankRowView;
  @ListOf(CashMovementView) readonly movements: readonly CashMovementView[];
  @Count('Number of movements with the reference. `movements` has the ten of them that are nearest in date.') readonly count: number;
}

@Schema('SkippedRow', SKIPPED)
export class SkippedRowView {
  @Count('Line of the text, or row of the sheet, from 1.') readonly line: number;
  @Text({ nullable: true, description: 'Null if the row has none.' }) readonly date: string | null;
  @Decimal({ nullable: true, description: `${SIGNED} Null if the row moves no money, such as a total.` }) readonly amount: number | null;
  @Text('The text of the column `reference` or, without one, of all columns.') readonly narration: string;
  @OneOf([...UNUSED, 'reversed', 'money_out']) readonly why: Skipped['why'];
  @Count({ nullable: true, description: 'Of `reversed`: line of the row with the other sign; null if the file does not have it.' })
  readonly counterpart: number | null;
  @OneOf(EVIDENCE, { nullable: true, description: 'Of `reversed`: by what the two rows are known to belong together.' })
  readonly by: Evidence | null;
}

@Schema('ReconciledTotal', { lines: 1, amount: 49950 })
export class ReconciledTotalView {
  @Integer() readonly lines: number;
  @Decimal(SIGNED) readonly amount: number;
}

const NOTHING = { lines: 0, amount: 0 };
const TOTALS = {
  file: { lines: 2, amount: 49950 },
  matched: { lines: 1, amount: 49950 },
  split: NOTHING,
  not_credited: NOTHING,
  not_in_file: NOTHING,
  different: NOTHING,
  ambiguous: NOTHING,
  skipped: { lines: 1, amount: 0 },
};

@Schema('ReconciliationTotals', TOTALS)
export class ReconciliationTotalsView {
  @Nested(ReconciledTotalView, 'All rows of the file. The lists but `not_in_file` add up to it.') readonly file: ReconciledTotalView;
  @Nested(ReconciledTotalView) readonly matched: ReconciledTotalView;
  @Nested(ReconciledTotalView) readonly split: ReconciledTotalView;
  @Nested(ReconciledTotalView) readonly not_credited: ReconciledTotalView;
  @Nested(ReconciledTotalView, 'Movements of the books in place of rows.') readonly not_in_file: ReconciledTotalView;
  @Nested(ReconciledTotalView) readonly different: ReconciledTotalView;
  @Nested(ReconciledTotalView) readonly ambiguous: ReconciledTotalView;
  @Nested(ReconciledTotalView) readonly skipped: ReconciledTotalView;
}

@Schema('DateOrder', { order: 'day_first', known: true })
export class DateOrderView {
  @OneOf(['day_first', 'month_first']) readonly order: DateOrder['order'];
  @Flag('False if no date shows it; the day was then read first.') readonly known: boolean;
}

/** Amounts in NGN. */
@Schema('Reconciliation', {
  ok: true,
  mode: 'live',
  days: DEFAULT_DAYS,
  tolerance: 0,
  from: '2026-02-27',
  to: '2026-03-05',
  sheet: null,
  date_order: null,
  totals: TOTALS,
  matched: [{ row: ROW, movement: MOVEMENT, difference: DIFFERENCE }],
  split: [],
  not_credited: [],
  not_in_file: [],
  different: [],
  ambiguous: [],
  skipped: [SKIPPED],
})
export class ReconciliationView {
  @Flag('Whether `not_credited`, `not_in_file`, `different` and `ambiguous` are empty.') readonly ok: boolean;
  @OneOf(MODES) readonly mode: Mode;
  @Count('Days by which a movement may be recorded before or after the bank’s date.') readonly days: number;
  @Naira('NGN by which a bank’s amount may differ from the books.') readonly tolerance: number;
  @Text('First day (UTC) of the movements that need a row.') readonly from: string;
  @Text('Last day (UTC) of the movements that need a row.') readonly to: string;
  @Text({ nullable: true, description: 'The sheet of the workbook that was read; null for a text.' }) readonly sheet: string | null;
  @Nested(DateOrderView, { description: 'How dates such as 03/04/2026 were read. Null if there are none.', nullable: true })
  readonly date_order: DateOrderView | null;
  @Nested(ReconciliationTotalsView) readonly totals: ReconciliationTotalsView;
  @ListOf(MatchedRowView, 'Rows that agree with a movement in reference, amount and date.') readonly matched: readonly MatchedRowView[];
  @ListOf(SplitPaymentView, 'Several rows that are one payment together.') readonly split: readonly SplitPaymentView[];
  @ListOf(NotCreditedRowView, 'Payments that no wallet was credited with.') readonly not_credited: readonly NotCreditedRowView[];
  @ListOf(CashMovementView, 'Movements of the period without a row.') readonly not_in_file: readonly CashMovementView[];
  @ListOf(DifferentRowsView, 'Rows with the reference of a movement from which they differ.')
  readonly different: readonly DifferentRowsView[];
  @ListOf(AmbiguousRowView, 'Rows with a reference that several movements have.') readonly ambiguous: readonly AmbiguousRowView[];
  @ListOf(SkippedRowView, 'Rows that need no movement.') readonly skipped: readonly SkippedRowView[];
}
