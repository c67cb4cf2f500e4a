import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { EXAMPLE, Schema } from '../../../http/openapi/properties.js';
import { PageQueryDto } from '../../../http/validating/paging.js';
import { MaxLength, Required } from '../../../http/validating/validation.js';
import { Input } from '../../../http/validating/dto.js';

@Schema('IssueApiKey', { label: 'production' })
export class IssueApiKeyDto extends Input {
  @IsOptional()
  @IsString()
  @MaxLength()
  label?: string | null;
}

@Schema('RotateApiKey', { expire_current_in_hours: 24, label: 'production' })
export class RotateApiKeyDto extends Input {
  @ApiProperty({
    default: 24,
    description: 'Hours after which the key with which you call ends; 0 for at once. A key that ends before that keeps its end.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(168)
  expire_current_in_hours?: number | null;

  @IsOptional()
  @IsString()
  @MaxLength()
  label?: string | null;
}

@Schema('LinkApiKey', { partner_id: EXAMPLE.partner_id })
export class LinkApiKeyDto extends Input {
  @Required()
  @IsString()
  @MaxLength(64)
  partner_id: string;
}

export class ApiKeysQueryDto extends PageQueryDto {
  @ApiProperty({ description: 'True: only keys that are linked to a partner; false: only the others.', example: 'false' })
  @IsOptional()
  @IsIn(['true', 'false'])
  linked?: 'true' | 'false';
}
