import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { Input } from '../../../http/validating/dto.js';
import {
  Count,
  EXAMPLE,
  Flag,
  Integer,
  ListOf,
  Naira,
  NairaByFee,
  Nested,
  OneOf,
  RupaId,
  Schema,
  Text,
  Texts,
  Time,
} from '../../../http/openapi/properties.js';
import { Cursor, Limit, NEXT_CURSOR } from '../../../http/validating/paging.js';
import { NairaInQuery } from '../../../http/validating/period-filter.js';
import { IsDate8601, IsRupaId, MaxLength } from '../../../http/validating/validation.js';
import { ACCOUNT_TYPES, MODES } from '../../../kernel/accounts.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { type LookupEvent, type LookupExplanation } from './explain-lookup.query.js';
import { OUTCOMES } from '../listing/lookups.dto.js';

/** Lookups of a page. Each is read from the log, which costs more than a row of a table. */
export const LOOKUPS_PER_PAGE = 20;
const LOOKUPS_PER_PAGE_MAX = 50;

export class FindLookupsQueryDto extends Input {
  @ApiProperty({
    description: '`X-Request-Id` of the lookup’s response. Either this or `rupa_id` is required.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  request_id?: string;

  @ApiProperty({ description: 'Lookups of this farmer, newest first, in pages.', example: EXAMPLE.rupa_id })
  @IsOptional()
  @IsString()
  @IsRupaId()
  rupa_id?: string;

  @ApiProperty({
    description: 'With `rupa_id`: ISO 8601 date (from its beginning, UTC) or timestamp, the earliest charge.',
    example: '2026-03-01',
  })
  @IsOptional()
  @IsDate8601()
  from?: string;

  @ApiProperty({
    description: 'With `rupa_id`: ISO 8601 date (to its end, UTC) or timestamp, the latest charge.',
    example: '2026-03-31',
  })
  @IsOptional()
  @IsDate8601()
  to?: string;

  @ApiProperty({ description: 'With `rupa_id`: only lookups of this partner.', example: EXAMPLE.partner_id })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  partner_id?: string;

  @ApiProperty({ description: 'With `rupa_id`: only lookups for this purpose.', example: 'loan' })
  @IsOptional()
  @IsString()
  @MaxLength()
  source?: string;

  @NairaInQuery('With `rupa_id`: only lookups that were charged at least this much.') min_amount?: number;
  @NairaInQuery('With `rupa_id`: only lookups that were charged at most this much.') max_amount?: number;

  @Limit(LOOKUPS_PER_PAGE_MAX, { description: 'With `rupa_id`.', default: LOOKUPS_PER_PAGE }) limit?: number;

  @Cursor() cursor?: string;
}

const PARTNER = { partner_id: EXAMPLE.partner_id, company_name: 'Savannah Demo Bank', account_type: 'bank', mode: 'sandbox' };
const KEY = { key_id: '3e0f3a55-8a33-4b2e-8b7c-5f8f53a1c7d9', label: 'production' };
const OUTCOME = { status: 'settled', at: '2026-03-09T14:30:02.000Z', revision: 18 };

@Schema('LookupPartner', PARTNER)
class LookupPartner {
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @OneOf(ACCOUNT_TYPES) readonly account_type: string;
  @OneOf(MODES) readonly mode: string;
}

@Schema('LookupKey', KEY)
class LookupKey {
  @Text() readonly key_id: string;
  @Text({ nullable: true }) readonly label: string | null;
}

@Schema('LookupOutcome', OUTCOME)
class LookupOutcome {
  @OneOf(OUTCOMES) readonly status: string;
  @Time({ required: false }) readonly at?: string;
  @Count({ required: false, description: 'Revision of the wallet’s entry.' }) readonly revision?: number;
  @Text({ required: false, description: 'Of a refund or a compensation.' }) readonly reason?: string;
}

const EVENTS = [
  {
    stream: `wallet-${EXAMPLE.partner_id}`,
    revision: 17,
    position: '41200',
    type: 'WalletDebited',
    recorded_at: '2026-03-09T14:30:00.000Z',
  },
  {
    stream: `wallet-${EXAMPLE.partner_id}`,
    revision: 18,
    position: '41872',
    type: 'ChargesSettled',
    recorded_at: '2026-03-09T14:30:02.000Z',
  },
];

@Schema('LookupEvent', EVENTS[0])
class LookupEventView implements LookupEvent {
  @Text() readonly stream: string;
  @Count('In its stream.') readonly revision: number;
  @Text('Position in $all, as decimal digits.') readonly position: string;
  @Text() readonly type: LookupEvent['type'];
  @Time() readonly recorded_at: string;
}

const EXPLANATION = {
  lookup_id: EXAMPLE.lookup_id,
  request_id: '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  partner: PARTNER,
  key: KEY,
  rupa_id: EXAMPLE.rupa_id,
  source: 'loan',
  charged_at: '2026-03-09T14:30:00.000Z',
  revision: 17,
  hash: '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9',
  sections: ['identity', 'outstanding_loans'],
  amount: 130,
  breakdown: { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 },
  price_book_version: 1,
  consent_granted: true,
  outcome: OUTCOME,
  events: EVENTS,
};

/** A charged lookup as `rupa wallet explain` shows it (admin, "Operators"). */
@Schema('LookupExplanation', EXPLANATION)
export class LookupExplanationView implements LookupExplanation {
  @Text() readonly lookup_id: string;
  @Text('`X-Request-Id` of the lookup’s response.') readonly request_id: string;
  @Text({ description: 'Trace of the request (W3C Trace Context); null if it was not traced.', nullable: true })
  readonly trace_id: string | null;
  @Nested(LookupPartner) readonly partner: LookupExplanation['partner'];
  @Nested(LookupKey) readonly key: LookupExplanation['key'];
  @RupaId() readonly rupa_id: string;
  @Text() readonly source: string;
  @Time() readonly charged_at: string;
  @Count('Revision of the debit in the partner’s wallet.') readonly revision: number;
  @Text() readonly hash: string;
  @Texts(SECTIONS, 'The sections that were charged.') readonly sections: readonly string[];
  @Naira() readonly amount: number;
  @NairaByFee() readonly breakdown: Readonly<Record<string, number>>;
  @Integer() readonly price_book_version: number;
  @Flag('Whether the lookup recorded the partner’s consent for the farmer.') readonly consent_granted: boolean;
  @Nested(LookupOutcome) readonly outcome: LookupExplanation['outcome'];
  @ListOf(LookupEventView, 'The events of the lookup in the log, without their data, in their order.')
  readonly events: readonly LookupEvent[];
}

@Schema('LookupExplanations', { lookups: [EXPLANATION], next_cursor: null })
export class LookupExplanations {
  @ListOf(LookupExplanationView) readonly lookups: readonly LookupExplanation[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}
