import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { Input } from '../../../http/validating/dto.js';

export const FARMER_REPORT_FORMATS = ['json', 'html'] as const;

export class FarmerReportQueryDto extends Input {
  @ApiProperty({ description: 'JSON, or an HTML page to print.', default: 'json', example: 'json' })
  @IsOptional()
  @IsIn(FARMER_REPORT_FORMATS)
  format?: (typeof FARMER_REPORT_FORMATS)[number];

  @ApiProperty({
    description: 'True adds the farmer’s record, for an access request of the farmer; 403 for auditors.',
    default: 'false',
    example: 'false',
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  personal?: 'true' | 'false';
}
