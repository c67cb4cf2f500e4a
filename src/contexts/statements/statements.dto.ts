import { ApiParam, ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

export const STATEMENT_FORMATS = ['json', 'csv', 'html'] as const;

export const MONTH = ApiParam({
  name: 'month',
  description: 'The month, in UTC.',
  schema: { type: 'string', pattern: '^\\d{4}-\\d{2}$' },
  example: '2026-03',
});

export class StatementQueryDto {
  @ApiProperty({ description: 'JSON, CSV for spreadsheets, or an HTML page to print.', default: 'json', example: 'json' })
  @IsOptional()
  @IsIn(STATEMENT_FORMATS)
  format?: (typeof STATEMENT_FORMATS)[number];
}
