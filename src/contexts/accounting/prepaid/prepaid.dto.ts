import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { Count, EXAMPLE, Integer, ListOf, Naira, OneOf, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { IsDate8601 } from '../../../http/validating/validation.js';
import { type Mode, MODES } from '../../../kernel/accounts.js';
import { AS_OF_INDEX } from '../../evidence/public.js';
import { type Prepaid, type PrepaidMoney } from './get-prepaid.query.js';
import { ReportColumns } from '../books/report-formats.js';
import { ReportQueryDto } from '../books/report-queries.dto.js';

export class PrepaidQueryDto extends ReportQueryDto {
  @ApiProperty({
    description: 'The last moment that is counted: an ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now.',
    example: '2026-03-31',
  })
  @IsOptional()
  @IsDate8601()
  at?: string;
}

@Schema('PrepaidPartner')
export class PrepaidPartner {
  @Text('Id of the partner.') readonly partner: string;
  @Count({ nullable: true }) readonly customer_number: number | null;
  @Naira() readonly balance: number;
  @Time({ nullable: true, description: 'The newest credit of the kind `payment`.' }) readonly last_payment_at: string | null;
  @Time({ nullable: true }) readonly last_lookup_at: string | null;
  @Naira('NGN that was credited up to 30 whole days before the moment.') readonly age_0_30: number;
  @Naira() readonly age_31_90: number;
  @Naira() readonly age_91_180: number;
  @Naira() readonly age_over_180: number;
}

/** Amounts in NGN. */
@Schema('Prepaid', {
  mode: 'live',
  at: '2026-03-31T23:59:59.999Z',
  as_of_index: 40817,
  partners: [
    {
      partner: EXAMPLE.partner_id,
      customer_number: 1001,
      balance: 49870,
      last_payment_at: '2026-03-02T09:15:00.000Z',
      last_lookup_at: '2026-03-30T16:20:05.120Z',
      age_0_30: 40000,
      age_31_90: 9870,
      age_91_180: 0,
      age_over_180: 0,
    },
  ],
})
export class PrepaidView {
  @OneOf(MODES) readonly mode: Mode;
  @Time('The last moment that is counted.') readonly at: string;
  @Integer(AS_OF_INDEX) readonly as_of_index: number | null;
  @ListOf(PrepaidPartner) readonly partners: readonly PrepaidPartner[];
}

export const PREPAID_COLUMNS = new ReportColumns<PrepaidMoney, PrepaidPartner>({
  partner: ({ partner_id }) => partner_id,
  customer_number: ({ customer_number }) => customer_number,
  balance: ({ balance_kobo: kobo }) => ({ kobo }),
  last_payment_at: ({ last_payment_at }) => last_payment_at,
  last_lookup_at: ({ last_lookup_at }) => last_lookup_at,
  age_0_30: ({ age_0_30: kobo }) => ({ kobo }),
  age_31_90: ({ age_31_90: kobo }) => ({ kobo }),
  age_91_180: ({ age_91_180: kobo }) => ({ kobo }),
  age_over_180: ({ age_over_180: kobo }) => ({ kobo }),
});

export function prepaidView({ partners, ...rest }: Prepaid): PrepaidView {
  return { ...rest, partners: partners.map((row) => PREPAID_COLUMNS.view(row)) };
}
