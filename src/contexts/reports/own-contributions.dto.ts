import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, MinLength } from 'class-validator';
import { MaxLength } from '../../http/validating/validation.js';
import { EXAMPLE, FreeForm, Integer, ListOf, Naira, OneOf, RupaId, Schema, Text, Time } from '../../http/openapi/properties.js';
import { CURSOR_EXAMPLE, NEXT_CURSOR, PageQueryDto } from '../../http/validating/paging.js';
import { OfFarmer, PeriodFrom, PeriodTo } from '../../http/validating/period-filter.js';
import { REPORTABLE_ACTIVITIES } from '../../kernel/accounts.js';

export class ContributionsQueryDto extends PageQueryDto {
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength()
  @ApiProperty({ description: 'Your own reference: at most one contribution has it.', example: 'LN-2026-0117' })
  partner_reference?: string;

  @PeriodFrom('recorded_at') from?: string;
  @PeriodTo('recorded_at') to?: string;
  @OfFarmer('reports') rupa_id?: string;
}

const CONTRIBUTION = {
  contribution_id: 4711,
  rupa_id: EXAMPLE.rupa_id,
  event: 'loan_disbursed',
  amount: 150000,
  currency: 'NGN',
  partner_reference: 'LN-2026-0117',
  occurred_at: '2026-03-01T00:00:00.000Z',
  payload: { tenor_months: 9 },
  recorded_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
};
const NOT_SENT = 'Null if it was not reported, or the farmer was erased.';

/** A contribution of the caller, as its last report left it (decisions, "Your account"). */
@Schema('OwnContribution', CONTRIBUTION)
export class OwnContribution {
  @Integer() readonly contribution_id: number;
  @RupaId() readonly rupa_id: string;
  @OneOf(Object.values(REPORTABLE_ACTIVITIES).flat()) readonly event: string;
  @Naira({ description: `In \`currency\`. ${NOT_SENT}`, nullable: true }) readonly amount: number | null;
  @Text() readonly currency: string;
  @Text({ description: NOT_SENT, nullable: true }) readonly partner_reference: string | null;
  @Time() readonly occurred_at: string;
  @FreeForm({ description: NOT_SENT, nullable: true }) readonly payload: Readonly<Record<string, unknown>> | null;
  @Time('When it was first reported.') readonly recorded_at: string;
  @Time('When it was last reported with other content.') readonly updated_at: string;
}

@Schema('OwnContributions', { contributions: [CONTRIBUTION], next_cursor: CURSOR_EXAMPLE })
export class OwnContributions {
  @ListOf(OwnContribution) readonly contributions: readonly OwnContribution[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}
