import { DEFAULT_MODE, type Mode, MODES } from '../../../kernel/accounts.js';
import { type RawNumber } from '../../../kernel/money.js';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { Decimal, Flag, Integer, ListOf, Naira, OneOf, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { AS_OF_INDEX } from '../../evidence/public.js';
import { IsDate8601 } from '../../../http/validating/validation.js';
import { Input } from '../../../http/validating/dto.js';

export class TrialBalanceQueryDto extends Input {
  @ApiProperty({ description: 'Whose wallets are counted.', default: DEFAULT_MODE, example: 'live' })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode;

  @ApiProperty({
    description: 'The last moment that is counted: an ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now.',
    example: '2026-03-31',
  })
  @IsOptional()
  @IsDate8601()
  at?: string;
}

const ACCOUNTS =
  '`cash_received` and `wht_receivable` (assets), `partner_balances` (liability), `revenue.<section>` (income), `passthrough_payable.<provider>` (liability), `goodwill_expense`, `correction_expense` and `bank_charges` (expenses), `refunds` (income, contra: refunds that earlier releases recorded).';

@Schema('TrialBalanceAccount')
export class AccountView {
  @Text(ACCOUNTS) readonly account: string;
  @Naira() readonly debit: number | RawNumber;
  @Naira() readonly credit: number | RawNumber;
  @Decimal('NGN. Debits minus credits: positive for assets, negative for liabilities and income.') readonly balance: number | RawNumber;
}

/** Amounts in NGN. */
@Schema('TrialBalance', {
  mode: 'live',
  at: '2026-03-31T23:59:59.999Z',
  as_of_index: 40817,
  accounts: [
    { account: 'cash_received', debit: 50000, credit: 0, balance: 50000 },
    { account: 'partner_balances', debit: 130, credit: 50000, balance: -49870 },
    { account: 'revenue.identity', debit: 0, credit: 50, balance: -50 },
    { account: 'revenue.outstanding_loans', debit: 0, credit: 80, balance: -80 },
  ],
  total_debit: 50130,
  total_credit: 50130,
  difference: 0,
  balanced: true,
})
export class TrialBalanceView {
  @OneOf(MODES) readonly mode: Mode;
  @Time('The last moment that is counted.') readonly at: string;
  @Integer(AS_OF_INDEX) readonly as_of_index: number | null;
  @ListOf(AccountView) readonly accounts: readonly AccountView[];
  @Naira() readonly total_debit: number | RawNumber;
  @Naira() readonly total_credit: number | RawNumber;
  @Decimal('NGN. Total debits minus total credits. Any value but 0 is an error in the books.') readonly difference: number | RawNumber;
  @Flag() readonly balanced: boolean;
}
