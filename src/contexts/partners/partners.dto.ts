import { ApiProperty } from '@nestjs/swagger';
import { IsArray, IsIn, IsOptional, IsString, MaxLength, MinLength, ArrayMaxSize } from 'class-validator';
import { type Section, SECTIONS } from '../../kernel/section-names.js';
import { Schema } from '../../http/openapi/example.js';
import { IsNetwork, Required } from '../../http/validation.js';
import { ACCOUNT_TYPES, type AccountType } from '../../kernel/account-types.js';
import { type Mode, MODES } from '../../kernel/modes.js';
import { MAX_NETWORKS } from './domain/partner.js';

@Schema('RegisterPartner', { company_name: 'Savannah Demo Bank', account_type: 'bank', mode: 'sandbox' })
export class RegisterPartnerDto {
  @Required()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  company_name: string;

  @Required()
  @IsIn(ACCOUNT_TYPES)
  account_type: AccountType;

  @ApiProperty({ description: 'Default: live.' })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode | null;
}

@Schema('SetOptionalSections', { sections: ['farms'] })
export class OptionalSectionsDto {
  @Required()
  @IsArray()
  @ArrayMaxSize(SECTIONS.length)
  @IsIn(SECTIONS, { each: true })
  sections: Section[];
}

@Schema('SetIpAllowList', { cidrs: ['203.0.113.0/24', '2001:db8::1'] })
export class IpAllowListDto {
  @Required()
  @IsArray()
  @ArrayMaxSize(MAX_NETWORKS)
  @IsNetwork({ each: true })
  cidrs: string[];
}
