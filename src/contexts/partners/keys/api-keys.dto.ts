import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { EXAMPLE, Schema } from '../../../http/openapi/properties.js';
import { PageQueryDto } from '../../../http/validating/paging.js';
import { MaxLength, Required } from '../../../http/validating/validation.js';
import { Input } from '../../../http/validating/dto.js';

@Schema('IssueApiKey', { label: 'production' })
export class IssueApiKeyDto extends Input {
  @IsOptional()
  @IsString()
  @MaxLength(255)
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
