import { IsIn, IsOptional } from 'class-validator';

export const STATEMENT_FORMATS = ['json', 'csv', 'html'] as const;

export class StatementQueryDto {
  @IsOptional()
  @IsIn(STATEMENT_FORMATS)
  format?: (typeof STATEMENT_FORMATS)[number];
}
