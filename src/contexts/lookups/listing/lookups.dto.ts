import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { MaxLength } from '../../../http/validating/validation.js';
import {
  EXAMPLE,
  Integer,
  ListOf,
  Naira,
  NairaByFee,
  OneOf,
  PathParameter,
  RupaId,
  Schema,
  Text,
  Texts,
  Time,
} from '../../../http/openapi/properties.js';
import { CURSOR_EXAMPLE, NEXT_CURSOR, PageQueryDto } from '../../../http/validating/paging.js';
import { OfFarmer, PeriodFrom, PeriodTo } from '../../../http/validating/period-filter.js';
import { SECTIONS } from '../../../kernel/section-names.js';

const REQUEST_ID = '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11';

export const LOOKUP_ID = PathParameter({
  name: 'lookupId',
  description: '`billing.lookup_id` of the lookup’s response.',
  schema: { type: 'string' },
  example: EXAMPLE.lookup_id,
});

export class LookupsQueryDto extends PageQueryDto {
  @IsOptional()
  @IsString()
  @MaxLength(64)
  @ApiProperty({ description: '`X-Request-Id` of the lookup’s response.', example: REQUEST_ID })
  request_id?: string;

  @PeriodFrom('queried_at') from?: string;
  @PeriodTo('queried_at') to?: string;
  @OfFarmer('lookups') rupa_id?: string;
}

export const OUTCOMES = ['open', 'settled', 'refunded', 'compensated'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const LOOKUP = {
  lookup_id: EXAMPLE.lookup_id,
  request_id: REQUEST_ID,
  rupa_id: EXAMPLE.rupa_id,
  source: 'loan',
  sections: ['identity', 'outstanding_loans'],
  amount_charged: 130,
  breakdown: { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 },
  price_book_version: 1,
  queried_at: '2026-03-09T14:30:00.000Z',
  outcome: 'settled',
};

/** A lookup that the caller was charged for (decisions, "Your account"). */
@Schema('ChargedLookup', LOOKUP)
export class ChargedLookup {
  @Text({ format: 'uuid', description: '`billing.lookup_id` of the response.' }) readonly lookup_id: string;
  @Text('`X-Request-Id` of the response.') readonly request_id: string;
  @RupaId() readonly rupa_id: string;
  @Text() readonly source: string;
  @Texts(SECTIONS, 'The sections that were charged.') readonly sections: readonly string[];
  @Naira() readonly amount_charged: number;
  @NairaByFee() readonly breakdown: Readonly<Record<string, number>>;
  @Integer() readonly price_book_version: number;
  @Time('When the lookup was charged.') readonly queried_at: string;
  @OneOf(OUTCOMES, 'Whether the charge stays. It is open for seconds, or until a lookup without a response is refunded.')
  readonly outcome: Outcome;
}

@Schema('ChargedLookups', { lookups: [LOOKUP], next_cursor: CURSOR_EXAMPLE })
export class ChargedLookups {
  @ListOf(ChargedLookup) readonly lookups: readonly ChargedLookup[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}
