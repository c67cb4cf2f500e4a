import { IsIn, IsOptional } from 'class-validator';

export const FARMER_REPORT_FORMATS = ['json', 'html'] as const;

export class FarmerReportQueryDto {
  @IsOptional()
  @IsIn(FARMER_REPORT_FORMATS)
  format?: (typeof FARMER_REPORT_FORMATS)[number];
}
