import { ApiProperty } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString, MaxLength, Min, MinLength } from 'class-validator';
import { EXAMPLE, Schema } from '../../http/openapi/example.js';
import { AlwaysTrue, Flag, Integer, OneOf, RupaId } from '../../http/openapi/properties.js';
import { IsCurrency, IsDate8601, IsNaira, IsRupaId, MaxBytes, Required, Verbatim } from '../../http/validation.js';
import { REPORTABLE_ACTIVITIES } from '../../kernel/activities.js';
import { LAST_OCCURRED_YEAR, MAX_PAYLOAD_BYTES } from './domain/report.js';

const EVENTS = Object.values(REPORTABLE_ACTIVITIES).flat();
const PAYLOAD =
  'Free-form details, at most 16 KiB as JSON. The service reads some fields: `loan_reference` of a repayment is the loan’s `partner_reference`; `expires_at` is the end of a policy; `item`, `quantity` and `unit` of harvests and purchases are shown in lookups.';

/** Body of POST /v1/rupa/report (interface, section 2.3; decisions, "Contributions"). */
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

  @OneOf(EVENTS, 'An event that the account type may report, as listed in `contribution_events` of GET /v1/rupa/me.')
  @Required()
  @IsString()
  event: string;

  @ApiProperty({ description: 'Amount in `currency`, with at most two decimals.' })
  @IsOptional()
  @IsNaira()
  @Min(0)
  amount?: number | null;

  @ApiProperty({ description: 'ISO 4217 code. Default: NGN.' })
  @IsOptional()
  @IsString()
  @IsCurrency()
  currency?: string | null;

  @ApiProperty({ description: 'Your own reference, which is the idempotency key.' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  partner_reference?: string | null;

  @ApiProperty({ description: 'ISO 8601 date or timestamp, at most a day in the future. Default: now.' })
  @IsOptional()
  @IsDate8601({}, LAST_OCCURRED_YEAR)
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
