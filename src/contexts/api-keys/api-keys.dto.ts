import { IsOptional, IsString, MaxLength } from 'class-validator';
import { EXAMPLE, Schema } from '../../http/openapi/example.js';
import { Required } from '../../http/validation.js';

@Schema('IssueApiKey', { label: 'production' })
export class IssueApiKeyDto {
  @IsOptional()
  @IsString()
  @MaxLength(255)
  label?: string | null;
}

@Schema('LinkApiKey', { partner_id: EXAMPLE.partner_id })
export class LinkApiKeyDto {
  @Required()
  @IsString()
  @MaxLength(64)
  partner_id: string;
}
