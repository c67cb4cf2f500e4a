import { type Mode, MODES } from '../../../kernel/accounts.js';
import { type RawNumber } from '../../../kernel/money.js';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { Decimal, Flag, Integer, ListOf, Naira, OneOf, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { AS_OF_INDEX } from '../../evidence/public.js';
import { IsDate8601 } from '../../../http/validating/validation.js';
import { ACCOUNT_KINDS, type AccountKind } from '../domain/chart-of-accounts.js';
import { PeriodReportQueryDto } from './report-queries.dto.js';

export class TrialBalanceQueryDto extends PeriodReportQueryDto {
  @ApiProperty({
    description:
      'In place of `from` and `to`, the last moment that is counted: an ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now.',
  })
  @IsOptional()
  @IsDate8601()
  at?: string;
}

const ACCOUNTS =
  '`cash_received`, `wht_receivable` and `wht_credit_notes` (assets), `partner_balances`, `passthrough_payable.<provider>` and `vat_payable` (liabilities), `revenue.<section>` and `interest_income` (income), `goodwill_expense`, `correction_expense` and `bank_charges` (expenses), `opening_balances` (equity), `refunds` (income, contra: refunds that earlier releases recorded).';

@Schema('TrialBalanceAccount')
export class AccountView {
  @Text(ACCOUNTS) readonly account: string;
  @OneOf(ACCOUNT_KINDS, { nullable: true, description: 'Null for an account that only a later release posts to.' })
  readonly kind: AccountKind | null;
  @Decimal('NGN. The balance before the period: debits minus credits.') readonly opening: number | RawNumber;
  @Naira() readonly debit: number | RawNumber;
  @Naira() readonly credit: number | RawNumber;
  @Decimal('NGN. The balance at the end: positive for assets and expenses, negative for liabilities, income and equity.')
  readonly closing: number | RawNumber;
  @Decimal('NGN. The same as `closing`.') readonly balance: number | RawNumber;
}

/** Amounts in NGN. */
@Schema('TrialBalance', {
  mode: 'live',
  from: null,
  at: '2026-03-31T23:59:59.999Z',
  as_of_index: 40817,
  accounts: [
    { account: 'cash_received', kind: 'asset', opening: 0, debit: 50000, credit: 0, closing: 50000, balance: 50000 },
    { account: 'partner_balances', kind: 'liability', opening: 0, debit: 130, credit: 50000, closing: -49870, balance: -49870 },
    { account: 'revenue.identity', kind: 'income', opening: 0, debit: 0, credit: 50, closing: -50, balance: -50 },
    { account: 'revenue.outstanding_loans', kind: 'income', opening: 0, debit: 0, credit: 80, closing: -80, balance: -80 },
  ],
  total_opening: 0,
  total_debit: 50130,
  total_credit: 50130,
  total_closing: 0,
  difference: 0,
  balanced: true,
})
export class TrialBalanceView {
  @OneOf(MODES) readonly mode: Mode;
  @Text({ nullable: true, description: 'First day of the period (UTC); null for the beginning of the books.' }) readonly from:
    string | null;
  @Time('The last moment that is counted.') readonly at: string;
  @Integer(AS_OF_INDEX) readonly as_of_index: number | null;
  @ListOf(AccountView) readonly accounts: readonly AccountView[];
  @Decimal('NGN; 0 in books that balance.') readonly total_opening: number | RawNumber;
  @Naira() readonly total_debit: number | RawNumber;
  @Naira() readonly total_credit: number | RawNumber;
  @Decimal('NGN; 0 in books that balance.') readonly total_closing: number | RawNumber;
  @Decimal('NGN. The same as `total_closing`. Any value but 0 is an error in the books.') readonly difference: number | RawNumber;
  @Flag('Whether the opening and the closing balances sum to 0.') readonly balanced: boolean;
}
