import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { type DocumentedError } from '../../http/openapi/errors.js';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsObject, IsOptional, IsString, Min, MinLength } from 'class-validator';
import { type ErrorCode } from '../../http/errors/error-codes.js';
import { Input, Nested } from '../../http/validating/dto.js';
import {
  Count,
  EXAMPLE,
  Flag,
  Integer,
  ListOf,
  MessagesByField,
  Nested as NestedView,
  OneOf,
  RupaId,
  Schema,
} from '../../http/openapi/properties.js';
import { IsCurrency, IsDate8601, IsNaira, IsRupaId, MaxBytes, MaxLength, Required, Verbatim } from '../../http/validating/validation.js';
import { type AccountType, REPORTABLE_ACTIVITIES } from '../../kernel/accounts.js';
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

/** The codes with which a report of a list is refused. */
const REFUSALS = ['validation_failed', 'farmer_not_found', 'history_missing', 'unavailable'] as const satisfies ErrorCode[];
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
  @MaxLength()
  partner_reference?: string | null;

  @ApiProperty({ description: 'ISO 8601 date or timestamp, at most a day in the future. Default: now.' })
  @IsOptional()
  @IsDate8601(LAST_OCCURRED_YEAR)
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

const MAX_REPORTS = 100;

/** Body of POST /v1/rupa/reports (decisions, "Many at once"). */
@Schema('Reports', {
  reports: [
    { rupa_id: EXAMPLE.rupa_id, event: 'loan_repayment', amount: 12500, partner_reference: 'RP-2026-0301' },
    { rupa_id: 'rp-test-silver', event: 'loan_repayment', amount: 8000, partner_reference: 'RP-2026-0302' },
  ],
})
export class ReportsDto extends Input<ReportContext> {
  @ApiProperty({ description: 'Each as the body of POST /v1/rupa/report. Each is validated and recorded on its own.' })
  @Required()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_REPORTS)
  @Nested(() => ReportDto as unknown as new () => object, { many: true })
  reports: unknown[];
}

const OUTCOMES = ['created', 'updated', 'refused'] as const;

@Schema('ListedReport', { index: 0, outcome: 'created', contribution_id: 4711 })
export class ListedReport {
  @Count('Place in `reports`, from 0.') readonly index: number;
  @OneOf(OUTCOMES, '`updated`: the report has the `partner_reference` of an earlier one, which it replaces.')
  readonly outcome: (typeof OUTCOMES)[number];
  @Integer({ required: false, description: 'Absent of a report that is refused.' }) readonly contribution_id?: number;
  @OneOf(REFUSALS, {
    required: false,
    description:
      'Why the report is refused: the code that a call with this report alone gets. It is recorded if you send it again after `unavailable` or `history_missing` is over, with another Idempotency-Key.',
  })
  readonly code?: (typeof REFUSALS)[number];
  @MessagesByField({ required: false, description: 'With `validation_failed`, messages by the field of the report.' })
  readonly errors?: FieldErrors;
}

@Schema('ReportsSummary', { requested: 2, created: 2, updated: 0, refused: 0 })
export class ReportsSummary {
  @Count() readonly requested: number;
  @Count() readonly created: number;
  @Count() readonly updated: number;
  @Count() readonly refused: number;
}

@Schema('ListedReports', {
  results: [
    { index: 0, outcome: 'created', contribution_id: 4711 },
    { index: 1, outcome: 'created', contribution_id: 4712 },
  ],
  summary: { requested: 2, created: 2, updated: 0, refused: 0 },
})
export class ListedReports {
  @ListOf(ListedReport, 'In the order of `reports`.') readonly results: readonly ListedReport[];
  @NestedView(ReportsSummary) readonly summary: ReportsSummary;
}

/** Replaces the documented 503 of other calls. The message ends what a caller can do, also without a key and without references. */
export const REPORTS_INTERRUPTED = {
  name: 'ReportsInterrupted',
  codes: ['unavailable', 'history_missing', 'maintenance'],
  description:
    'A store of the service does not respond in time. If reports of the list are recorded already, `data.results` has them: send the same request again, with its Idempotency-Key. With the code `maintenance`, nothing is recorded.',
  message:
    'Not all of the reports could be recorded. Send the same request again: with its Idempotency-Key or with partner references, nothing is recorded twice. Without these, leave out the reports of data.results; others may be recorded, too.',
  headers: ['Retry-After'],
  data: {
    optional: true,
    schema: {
      type: 'object',
      properties: {
        results: { type: 'array', items: { $ref: getSchemaPath(ListedReport) }, description: 'The reports that were handled.' },
        read_model: { type: 'string', description: 'The read model that is behind the log.' },
      },
    },
    example: { results: [{ index: 0, outcome: 'created', contribution_id: 4711 }] },
  },
} as const satisfies DocumentedError;
