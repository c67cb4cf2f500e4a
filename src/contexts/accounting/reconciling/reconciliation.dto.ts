import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { Count, EXAMPLE, Flag, ListOf, Naira, Nested, OneOf, Schema, Text, Texts, Time } from '../../../http/openapi/properties.js';
import { IsDate8601, MaxLength, Required, Verbatim } from '../../../http/validating/validation.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../../kernel/accounts.js';
import { DAY_CHARACTERS } from '../../../kernel/iso-8601.js';
import { type DateOrder } from '../domain/bank-dates.js';
import { type DifferingField } from '../domain/reconcile.js';
import { Input } from '../../../http/validating/dto.js';

/** Characters of a bank's text, which leaves room for the other fields in a body of 64 KiB. */
const MAX_CSV = 60_000;
const MAX_COLUMN = 200;
export const DEFAULT_DAYS = 3;
const MAX_DAYS = 366;
/** Differences of each kind in a response. */
export const LISTED = 1_000;

@Schema('ReconcileBank', {
  csv: 'Date,Narration,Credit\n2026-03-02,TRF-1,"50,000.00"\n',
  reference_column: 'Narration',
  amount_column: 'Credit',
  date_column: 'Date',
})
export class ReconcileBankDto extends Input {
  @ApiProperty({ description: 'The bank’s payments as CSV with a header line, about 500 of them.' })
  @Verbatim()
  @Required()
  @IsString()
  @MaxLength(MAX_CSV)
  csv: string;

  @ApiProperty({ description: 'Name of the column with the reference.' })
  @Required()
  @IsString()
  @MaxLength(MAX_COLUMN)
  reference_column: string;

  @ApiProperty({ description: 'Name of the column with the amount received.' })
  @Required()
  @IsString()
  @MaxLength(MAX_COLUMN)
  amount_column: string;

  @ApiProperty({ description: 'Name of the column with the date.' })
  @Required()
  @IsString()
  @MaxLength(MAX_COLUMN)
  date_column: string;

  @ApiProperty({ description: 'Whose wallets are compared.', default: DEFAULT_MODE })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode;

  @ApiProperty({
    description: 'Days by which a credit may be recorded before or after the bank’s date.',
    default: DEFAULT_DAYS,
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_DAYS)
  days?: number;

  @ApiProperty({ description: 'First day that the text covers. Default: its first date, less `days`.', examples: ['2026-03-31'] })
  @IsOptional()
  @IsDate8601()
  @MaxLength(DAY_CHARACTERS)
  from?: string;

  @ApiProperty({ description: 'Last day that the text covers. Default: its last date, plus `days`.', examples: ['2026-03-31'] })
  @IsOptional()
  @IsDate8601()
  @MaxLength(DAY_CHARACTERS)
  to?: string;
}

const PAYMENT = { line: 2, reference: 'TRF-1', date: '2026-03-02', amount: 50000 };
const CREDIT = {
  partner_id: EXAMPLE.partner_id,
  company_name: 'Sahel Savings Bank',
  revision: 17,
  reference: 'TRF-1',
  recorded_at: '2026-03-02T09:00:00.000Z',
  amount: 5000,
  reversed: 0,
};

@Schema('BankPayment', PAYMENT)
export class BankPaymentView {
  @Count('Line of the text, from 1.') readonly line: number;
  @Text() readonly reference: string;
  @Text('The bank’s date, as yyyy-mm-dd.') readonly date: string;
  @Naira() readonly amount: number;
}

@Schema('PaymentCredit', CREDIT)
export class PaymentCreditView {
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @Count('Revision of the entry in the wallet.') readonly revision: number;
  @Text() readonly reference: string;
  @Time() readonly recorded_at: string;
  @Naira() readonly amount: number;
  @Naira('NGN that reversals took back.') readonly reversed: number;
}

@Schema('DifferingPayment', { fields: ['amount'], payment: PAYMENT, credit: CREDIT })
export class DifferingPaymentView {
  @Texts(['amount', 'date'], 'In what they differ.') readonly fields: readonly DifferingField[];
  @Nested(BankPaymentView) readonly payment: BankPaymentView;
  @Nested(PaymentCreditView) readonly credit: PaymentCreditView;
}

@Schema('DateOrder', { order: 'day_first', known: true })
export class DateOrderView {
  @OneOf(['day_first', 'month_first']) readonly order: DateOrder['order'];
  @Flag('False if no date shows it; the day was then read first.') readonly known: boolean;
}

const list = (type: object, description: string): PropertyDecorator => ListOf(type, { description, maxItems: LISTED });

/** Amounts in NGN. */
@Schema('Reconciliation', {
  ok: false,
  mode: 'live',
  days: DEFAULT_DAYS,
  from: '2026-02-27',
  to: '2026-03-05',
  payments: 1,
  skipped: 0,
  date_order: null,
  matched: 0,
  differences: 1,
  missing_credits: [],
  missing_payments: [],
  double_payments: [],
  double_credits: [],
  differing: [{ fields: ['amount'], payment: PAYMENT, credit: CREDIT }],
})
export class ReconciliationView {
  @Flag('Whether the payments and the credits agree.') readonly ok: boolean;
  @OneOf(MODES) readonly mode: Mode;
  @Count('Days by which a credit may be recorded before or after the bank’s date.') readonly days: number;
  @Text('First day (UTC) on which a credit needs a payment.') readonly from: string;
  @Text('Last day (UTC) on which a credit needs a payment.') readonly to: string;
  @Count('Payments in the text.') readonly payments: number;
  @Count('Lines that are no payments received.') readonly skipped: number;
  @Nested(DateOrderView, { description: 'How dates such as 03/04/2026 were read. Null if there are none.', nullable: true })
  readonly date_order: DateOrderView | null;
  @Count('Payments that match a credit by reference, amount and date.') readonly matched: number;
  @Count(`Number of differences, also of those beyond the first ${LISTED} of a list.`) readonly differences: number;
  @list(BankPaymentView, 'Payments that no wallet was credited with.') readonly missing_credits: readonly BankPaymentView[];
  @list(PaymentCreditView, 'Credits without a payment.') readonly missing_payments: readonly PaymentCreditView[];
  @list(BankPaymentView, 'Payments beyond the credits of their reference.') readonly double_payments: readonly BankPaymentView[];
  @list(PaymentCreditView, 'Credits beyond the payments of their reference.') readonly double_credits: readonly PaymentCreditView[];
  @list(DifferingPaymentView, 'Pairs of the same reference that differ.') readonly differing: readonly DifferingPaymentView[];
}
