import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { Input } from '../../../http/validating/dto.js';
import { IsDay } from '../../../http/validating/validation.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../../kernel/accounts.js';
import { type FieldErrors } from '../../../kernel/validation-failed.js';
import { periodProblems } from '../domain/books-period.js';
import { REPORT_FORMATS, type ReportFormat } from './report-formats.js';

/** The parameters of every report (finance, "Reports"). */
export class ReportQueryDto extends Input {
  @ApiProperty({ description: 'Whose wallets are counted.', default: DEFAULT_MODE, example: 'live' })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode;

  @ApiProperty({ description: 'JSON, or CSV for spreadsheets.', default: 'json', example: 'json' })
  @IsOptional()
  @IsIn(REPORT_FORMATS)
  format?: ReportFormat;
}

/** The parameters of a report over days. */
export class PeriodReportQueryDto extends ReportQueryDto {
  @ApiProperty({ description: 'First day of the period (UTC). Default: the beginning of the books.', example: '2026-03-01' })
  @IsOptional()
  @IsDay()
  from?: string;

  @ApiProperty({ description: 'Last day of the period (UTC). Default: today.', example: '2026-03-31' })
  @IsOptional()
  @IsDay()
  to?: string;

  override problems(): FieldErrors {
    return periodProblems(this);
  }
}
