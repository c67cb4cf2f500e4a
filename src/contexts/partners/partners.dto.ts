import { IsArray, IsIn, IsOptional, IsString, MaxLength, MinLength, ArrayMaxSize } from 'class-validator';
import { type Section, SECTIONS } from '../../kernel/section-names.js';
import { IsNetwork, Required } from '../../http/validation.js';
import { ACCOUNT_TYPES, type AccountType } from '../../kernel/account-types.js';
import { type Mode, MODES } from '../../kernel/modes.js';

export class RegisterPartnerDto {
  @Required()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  company_name: string;

  @Required()
  @IsIn(ACCOUNT_TYPES)
  account_type: AccountType;

  @IsOptional()
  @IsIn(MODES)
  mode?: Mode | null;
}

export class OptionalSectionsDto {
  @Required()
  @IsArray()
  @ArrayMaxSize(SECTIONS.length)
  @IsIn(SECTIONS, { each: true })
  sections: Section[];
}

export class IpAllowListDto {
  @Required()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsNetwork({ each: true })
  cidrs: string[];
}
