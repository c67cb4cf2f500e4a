import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

export const FARMER_REPORT_FORMATS = ['json', 'html'] as const;

export class FarmerReportQueryDto {
  @ApiProperty({ description: 'JSON, or an HTML page to print.', default: 'json', example: 'json' })
  @IsOptional()
  @IsIn(FARMER_REPORT_FORMATS)
  format?: (typeof FARMER_REPORT_FORMATS)[number];
}
