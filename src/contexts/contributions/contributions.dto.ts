import { ApiProperty } from '@nestjs/swagger';
import { IsISO4217CurrencyCode, IsObject, IsOptional, IsString, MaxLength, Min, MinLength } from 'class-validator';
import { Converted } from '../../http/dto.js';
import { EXAMPLE, Schema } from '../../http/openapi/example.js';
import { AlwaysTrue, Flag, Integer, OneOf, RupaId } from '../../http/openapi/properties.js';
import { IsDate8601, IsNaira, IsRupaId, MaxBytes, Required, Verbatim } from '../../http/validation.js';
import { REPORTABLE_ACTIVITIES } from '../../kernel/activities.js';

const MAX_PAYLOAD_BYTES = 16 * 1024;
const EVENTS = Object.values(REPORTABLE_ACTIVITIES).flat();
const PAYLOAD =
  'Free detail, at most 16 KiB as JSON. `loan_reference` on a repayment names the loan’s `partner_reference`; `expires_at` ends a policy; `item`, `quantity` and `unit` of harvests and purchases are shown.';

/** Interface 2.3; decisions, "Contributions". */
@Schema('Report', {
  rupa_id: EXAMPLE.rupa_id,
  event: 'loan_disbursed',
  amount: 150000,
  partner_reference: 'LN-2026-0117',
  occurred_at: '2026-03-01',
  payload: { tenor_months: 9 },
})
export class ReportDto {
  @Required()
  @IsRupaId()
  rupa_id: string;

  @OneOf(EVENTS, 'One of the account type’s own: see `contribution_events` of /me.')
  @Required()
  @IsString()
  event: string;

  @ApiProperty({ description: 'In the currency; at most two decimals.' })
  @IsOptional()
  @IsNaira()
  @Min(0)
  amount?: number | null;

  @ApiProperty({ description: 'ISO 4217; default NGN.' })
  @IsOptional()
  @Converted((value) => (typeof value === 'string' ? value.toUpperCase() : value))
  @IsString()
  @IsISO4217CurrencyCode()
  currency?: string | null;

  @ApiProperty({ description: 'Your own reference: the idempotency key.' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  partner_reference?: string | null;

  @ApiProperty({ description: 'ISO 8601 date or timestamp, at most a day ahead; default now.' })
  @IsOptional()
  @IsDate8601()
  occurred_at?: string | null;

  @ApiProperty({ description: PAYLOAD })
  @IsOptional()
  @IsObject()
  @MaxBytes(MAX_PAYLOAD_BYTES)
  @Verbatim()
  payload?: Record<string, unknown> | null;
}

@Schema('RecordedContribution', {
  recorded: true,
  created: true,
  contribution_id: 4711,
  event: 'loan_disbursed',
  rupa_id: EXAMPLE.rupa_id,
})
export class RecordedContribution {
  @AlwaysTrue() readonly recorded: true;
  @Flag() readonly created: boolean;
  @Integer() readonly contribution_id: number;
  @OneOf(EVENTS) readonly event: string;
  @RupaId() readonly rupa_id: string;
}
