import { IsArray, IsIn, IsOptional, IsString, MaxLength, MinLength, ArrayMaxSize } from 'class-validator';
import { type Section, SECTIONS } from '../farmers/domain/farmer-record.js';
import { IsNetwork, Required } from '../http/validation.js';
import { ACCOUNT_TYPES, type AccountType, type Mode, MODES } from './domain/account-types.js';

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
