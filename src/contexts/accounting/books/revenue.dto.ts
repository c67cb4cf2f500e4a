import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { Count, Decimal, Integer, ListOf, Naira, OneOf, Schema, Text, Texts } from '../../../http/openapi/properties.js';
import { Converted } from '../../../http/validating/dto.js';
import { custom } from '../../../http/validating/validation.js';
import { type Mode, MODES } from '../../../kernel/accounts.js';
import { type RawNumber } from '../../../kernel/money.js';
import { AS_OF_INDEX } from '../../evidence/public.js';
import { areRevenueGroups, parseRevenueGroups, type Revenue, REVENUE_GROUPS, type RevenueGroup } from '../domain/revenue.js';
import { type RevenueReport } from './get-revenue.query.js';
import { ReportColumns } from './report-formats.js';
import { PeriodReportQueryDto } from './report-queries.dto.js';

const GROUPS = REVENUE_GROUPS.join(', ');

const IsGroups = custom(
  'isGroups',
  areRevenueGroups,
  {},
  [],
  (field) => `The ${field} field must name some of ${GROUPS}, with commas, each once.`,
);

export class RevenueQueryDto extends PeriodReportQueryDto {
  @ApiProperty({
    type: String,
    description: `Groups, separated by commas, each once: ${GROUPS}.`,
    default: 'section',
    example: 'section,month',
  })
  @IsOptional()
  @Converted((value) => (typeof value === 'string' ? (parseRevenueGroups(value) ?? value) : value))
  @IsGroups
  by?: readonly RevenueGroup[];
}

@Schema('RevenueGroup')
export class RevenueGroupView {
  @Text({ required: false, description: 'Section of the record; only if the groups have it.' }) readonly section?: string;
  @Text({ required: false, description: 'Id of the partner; only if the groups have it.' }) readonly partner?: string;
  @Text({ required: false, description: 'Month (UTC), such as 2026-03; only if the groups have it.' }) readonly month?: string;
  @Text({ required: false, description: 'Day (UTC), such as 2026-03-01; only if the groups have it.' }) readonly day?: string;
  @Count('Charges of the period, whatever became of them. A charge counts in each of its sections.') readonly lookups: number;
  @Decimal('NGN after what was given back, without VAT.') readonly net: number | RawNumber;
  @Decimal('NGN after what was given back.') readonly vat: number | RawNumber;
  @Decimal('NGN; the sum of `net` and `vat`.') readonly gross: number | RawNumber;
  @Naira('NGN with VAT that refunds and compensations of the period gave back.') readonly refunds: number | RawNumber;
}

/** Amounts in NGN. */
@Schema('Revenue', {
  mode: 'live',
  from: '2026-03-01',
  to: '2026-03-31',
  as_of_index: 40817,
  by: ['section', 'month'],
  groups: [{ section: 'identity', month: '2026-03', lookups: 120, net: 5534.88, vat: 415.12, gross: 5950, refunds: 50 }],
})
export class RevenueView {
  @OneOf(MODES) readonly mode: Mode;
  @Text({ nullable: true, description: 'First day of the period (UTC); null for the beginning of the books.' })
  readonly from: string | null;
  @Text('Last day of the period (UTC).') readonly to: string;
  @Integer(AS_OF_INDEX) readonly as_of_index: number | null;
  @Texts(REVENUE_GROUPS, 'The groups.') readonly by: readonly RevenueGroup[];
  @ListOf(RevenueGroupView) readonly groups: readonly RevenueGroupView[];
}

/** Returns the columns of the report: first the groups, in the order in which they were asked for. */
export function revenueColumns(by: readonly RevenueGroup[]): ReportColumns<Revenue, RevenueGroupView> {
  const groups = Object.fromEntries(by.map((group) => [group, (row: Revenue) => row[group] ?? '']));
  return new ReportColumns<Revenue, RevenueGroupView>({
    ...groups,
    lookups: ({ lookups }) => lookups,
    net: ({ net_kobo: kobo }) => ({ kobo }),
    vat: ({ vat_kobo: kobo }) => ({ kobo }),
    gross: ({ net_kobo, vat_kobo }) => ({ kobo: net_kobo + vat_kobo }),
    refunds: ({ refunds_kobo: kobo }) => ({ kobo }),
  });
}

export function revenueView({ groups, ...rest }: RevenueReport): RevenueView {
  const columns = revenueColumns(rest.by);
  return { ...rest, groups: groups.map((row) => columns.view(row)) };
}
