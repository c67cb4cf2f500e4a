import { ApiProperty } from '@nestjs/swagger';
import { IsArray, IsIn, IsOptional, IsString, Min, MinLength, ArrayMaxSize } from 'class-validator';
import { type Section, SECTIONS } from '../../../kernel/section-names.js';
import { Naira, Schema } from '../../../http/openapi/properties.js';
import { IfSent, IsNaira, IsNetwork, MaxLength, NullOr, Required } from '../../../http/validating/validation.js';
import { ACCOUNT_TYPES, type AccountType, DEFAULT_MODE, type Mode, MODES } from '../../../kernel/accounts.js';
import { PageQueryDto } from '../../../http/validating/paging.js';
import { PARTNER_SORTS } from './get-partners.query.js';
import { Input, Nested as NestedInput } from '../../../http/validating/dto.js';
import { type LegalPatch } from '../domain/legal-details.js';

const MAX_NETWORKS = 1_000;
const NOTIFIED = 'NGN below which `account.low_balance` is sent, once each time the balance falls through it. Null for never.';

export class PartnersQueryDto extends PageQueryDto {
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength()
  @ApiProperty({ description: 'Only partners whose name contains this text, in any case.', example: 'savannah' })
  search?: string;

  @IsOptional()
  @IsIn(MODES)
  @ApiProperty({ description: 'Only partners of this mode.', example: 'live' })
  mode?: Mode;

  @IsOptional()
  @IsIn(['active', 'pending'])
  @ApiProperty({ description: 'Only partners with this status.', example: 'active' })
  status?: 'active' | 'pending';

  @IsOptional()
  @IsIn(PARTNER_SORTS)
  @ApiProperty({
    description: '`newest`: in pages. `balance`: only the ones with the lowest balances, at most `limit`, without further pages.',
    default: 'newest',
    example: 'newest',
  })
  sort?: (typeof PARTNER_SORTS)[number];
}

@Schema('RegisterPartner', { company_name: 'Savannah Demo Bank', account_type: 'bank', mode: 'sandbox' })
export class RegisterPartnerDto extends Input {
  @Required()
  @IsString()
  @MinLength(1)
  @MaxLength()
  company_name: string;

  @Required()
  @IsIn(ACCOUNT_TYPES)
  account_type: AccountType;

  @ApiProperty({ default: DEFAULT_MODE })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode | null;
}

@Schema('SetOptionalSections', { sections: ['farms'] })
export class OptionalSectionsDto extends Input {
  @Required()
  @IsArray()
  @ArrayMaxSize(SECTIONS.length)
  @IsIn(SECTIONS, { each: true })
  sections: Section[];
}

@Schema('SetIpAllowList', { cidrs: ['203.0.113.0/24', '2001:db8::1'] })
export class IpAllowListDto extends Input {
  @Required()
  @IsArray()
  @ArrayMaxSize(MAX_NETWORKS)
  @IsNetwork({ each: true })
  cidrs: string[];
}

const LEGAL_EXAMPLE = { name: 'Savannah Demo Bank Plc', tax_id: '12345678-0001' };

@Schema('ChangeLegalDetails', LEGAL_EXAMPLE)
class LegalDetailsDto implements LegalPatch {
  @LegalText('The registered name.') name?: string | null;
  @LegalText('The registered address, as an invoice shows it.') address?: string | null;
  @LegalText('The tax identification number (TIN).') tax_id?: string | null;
  @LegalText('The number in the register of companies (RC).') registration_number?: string | null;
  @LegalText('Where invoices are sent to.') email?: string | null;
}

/** A field of a merge patch, which null clears. */
function LegalText(description: string): PropertyDecorator {
  const decorators = [IsOptional(), IsString(), MinLength(1), MaxLength(), ApiProperty({ description })];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** Body of PATCH /admin/v1/partners/{id}: a JSON merge patch. */
@Schema('ChangePartnerDetails', { company_name: 'Savannah Demo Bank', legal: LEGAL_EXAMPLE })
export class PartnerDetailsDto extends Input {
  @IfSent()
  @IsString()
  @MinLength(1)
  @MaxLength()
  company_name?: string;

  @ApiProperty({ description: 'Details for invoices and statements. Null clears a field, or all of them.' })
  @IsOptional()
  @NestedInput(() => LegalDetailsDto)
  legal?: LegalDetailsDto | null;
}

/** Body of PUT /v1/rupa/me/low-balance. A missing amount is refused: a misspelt field would else end the notifications. */
@Schema('SetLowBalance', { amount: 5000 })
export class LowBalanceDto extends Input {
  @ApiProperty({ description: NOTIFIED })
  @NullOr()
  @Required()
  @IsNaira()
  @Min(0.01)
  amount: number | null;
}

@Schema('LowBalance', { amount: 5000 })
export class LowBalance {
  @Naira({ description: NOTIFIED, nullable: true }) readonly amount: number | null;
}
