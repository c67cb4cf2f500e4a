import { IsOptional, IsString, MaxLength } from 'class-validator';
import { Required } from '../../http/validation.js';

export class IssueApiKeyDto {
  @IsOptional()
  @IsString()
  @MaxLength(255)
  label?: string | null;
}

export class LinkApiKeyDto {
  @Required()
  @IsString()
  @MaxLength(64)
  partner_id: string;
}
