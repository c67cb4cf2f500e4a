import { type RawNumber } from '../../kernel/money.js';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { EXAMPLE, Schema } from '../../http/openapi/example.js';
import { Decimal, Flag, ListOf, Naira, Text } from '../../http/openapi/properties.js';
import { IsDate8601 } from '../../http/validation.js';

export class TrialBalanceQueryDto {
  @ApiProperty({
    description: 'ISO 8601 date or timestamp. Everything up to the end of that day (UTC) is counted. Default: today.',
    example: '2026-03-31',
  })
  @IsOptional()
  @IsDate8601()
  at?: string;
}

const ACCOUNTS =
  '`cash_received` (asset), `partner_prepaid:<partner id>` (liability), `lookup_revenue:<section>` (income), `passthrough_payable:<provider>` (liability), `refunds` (income, contra).';

@Schema('TrialBalanceAccount')
export class AccountView {
  @Text(ACCOUNTS) readonly account: string;
  @Naira() readonly debit: number | RawNumber;
  @Naira() readonly credit: number | RawNumber;
  @Decimal('NGN. Debits minus credits: positive for assets, negative for liabilities and income.') readonly balance: number | RawNumber;
}

/** Amounts in NGN. */
@Schema('TrialBalance', {
  at: '2026-03-31',
  accounts: [
    { account: 'cash_received', debit: 50000, credit: 0, balance: 50000 },
    { account: 'lookup_revenue:identity', debit: 0, credit: 50, balance: -50 },
    { account: 'lookup_revenue:outstanding_loans', debit: 0, credit: 80, balance: -80 },
    { account: `partner_prepaid:${EXAMPLE.partner_id}`, debit: 130, credit: 50000, balance: -49870 },
  ],
  total_debit: 50130,
  total_credit: 50130,
  difference: 0,
  balanced: true,
})
export class TrialBalanceView {
  @Text({ description: 'The last day (UTC) that is counted.', format: 'date' }) readonly at: string;
  @ListOf(AccountView) readonly accounts: readonly AccountView[];
  @Naira() readonly total_debit: number | RawNumber;
  @Naira() readonly total_credit: number | RawNumber;
  @Decimal('NGN. Total debits minus total credits. Any value but 0 is an error in the books.') readonly difference: number | RawNumber;
  @Flag() readonly balanced: boolean;
}
