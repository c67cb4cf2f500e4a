import { ApiProperty } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString, Min, MinLength } from 'class-validator';
import { Input } from '../../http/validating/dto.js';
import { EXAMPLE, Flag, Integer, OneOf, RupaId, Schema } from '../../http/openapi/properties.js';
import { IsCurrency, IsDate8601, IsNaira, IsRupaId, MaxBytes, MaxLength, Required, Verbatim } from '../../http/validating/validation.js';
import { type AccountType } from '../../kernel/accounts.js';
import { REPORTABLE_ACTIVITIES } from '../../kernel/activities.js';
import { dateProblem } from '../../kernel/iso-8601.js';
import { isLonger, MAX_TEXT } from '../../kernel/storable.js';
import { type FieldErrors, sentenceOf } from '../../kernel/validation-failed.js';

/** Size of a payload as JSON in UTF-8. */
const MAX_PAYLOAD_BYTES = 16 * 1024;
/** How far in the future an activity may lie, for partners whose clock is wrong. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1_000;
/** A later date is refused because it is in the future, so the form has no limit of its own. */
const LAST_OCCURRED_YEAR = 9999;

export const DEFAULT_CURRENCY = 'NGN';

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
export class ReportDto extends Input<ReportContext> {
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

  @ApiProperty({ description: 'ISO 4217 code.', default: DEFAULT_CURRENCY })
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

  override problems({ accountType, now }: ReportContext): FieldErrors {
    const allowed: readonly string[] = REPORTABLE_ACTIVITIES[accountType];
    return {
      ...(allowed.includes(this.event) ? {} : { event: [`The event field must be one of ${allowed.join(', ')}.`] }),
      ...futureErrors(this.occurred_at, now),
      ...payloadErrors(this.event, this.payload),
    };
  }
}

/** Who reports, and when. */
export interface ReportContext {
  readonly accountType: AccountType;
  readonly now: Date;
}

function futureErrors(occurredAt: unknown, now: Date): FieldErrors {
  if (typeof occurredAt !== 'string' || !(Date.parse(occurredAt) > now.getTime() + MAX_AHEAD_MS)) return {};
  return { occurred_at: ['The occurred at field must not be more than a day in the future.'] };
}

/** Checks the payload fields that the service reads. A policy with an unreadable `expires_at` would never end. */
function payloadErrors(event: string, payload: ReportDto['payload']): FieldErrors {
  const { expires_at, loan_reference } = payload ?? {};
  const end = typeof expires_at === 'string' ? expires_at : '';
  const endProblem = event === 'policy_issued' && expires_at != null ? dateProblem(end) : undefined;
  if (endProblem !== undefined) return { 'payload.expires_at': [sentenceOf('payload.expires_at', endProblem)] };
  const isText = typeof loan_reference === 'string' && !isLonger(loan_reference, MAX_TEXT);
  if (event !== 'loan_repayment' || loan_reference == null || isText) return {};
  return { 'payload.loan_reference': [`The payload.loan reference field must be a string of at most ${MAX_TEXT} characters.`] };
}

@Schema('RecordedContribution', {
  recorded: true,
  created: true,
  contribution_id: 4711,
  event: 'loan_disbursed',
  rupa_id: EXAMPLE.rupa_id,
})
export class RecordedContribution {
  @Flag('Always true.') readonly recorded: true;
  @Flag() readonly created: boolean;
  @Integer() readonly contribution_id: number;
  @OneOf(EVENTS) readonly event: string;
  @RupaId() readonly rupa_id: string;
}
