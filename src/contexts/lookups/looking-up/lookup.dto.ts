import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsIn, IsOptional, IsString, ArrayMaxSize, IsBoolean } from 'class-validator';
import { type Section, SECTIONS } from '../../../kernel/section-names.js';
import { Converted, Input } from '../../../http/validating/dto.js';
import { EXAMPLE, Schema } from '../../../http/openapi/properties.js';
import { IsRupaId, MaxLength, Required } from '../../../http/validating/validation.js';

/** The default of `source` (interface, section 4.2). */
export const DEFAULT_SOURCE = 'loan';

/** Body of a lookup (interface, section 4.2). */
@Schema('Lookup', { rupa_id: EXAMPLE.rupa_id, sections: ['identity', 'outstanding_loans'], source: 'loan' })
export class LookupDto extends Input {
  @Required()
  @IsRupaId()
  rupa_id: string;

  @ApiProperty({ description: 'Sections to return and bill. Default: all that the account may read.' })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(SECTIONS, { each: true })
  sections?: Section[] | null;

  @ApiProperty({ description: 'A free-text tag for your own audit, recorded with the consent.', default: DEFAULT_SOURCE })
  @IsOptional()
  @Converted((value) => (value === '' ? null : value))
  @IsString()
  @MaxLength()
  source?: string | null;
}

/** Farmers that a call looks up at most (decisions, "Many at once"). Their debits and consents fit into one append (wallet.spec.ts). */
export const MAX_LIST = 100;

/** Body of a call that looks many farmers up (decisions, "Many at once"). */
@Schema('LookupList', {
  rupa_ids: [EXAMPLE.rupa_id, 'rp-nobody'],
  sections: ['identity', 'outstanding_loans'],
  source: 'loan',
  allow_partial: false,
})
export class LookupListDto extends Input {
  @ApiProperty({ description: 'The farmers, answered in this order. One that repeats is looked up and billed once.' })
  @Required()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_LIST)
  @IsRupaId({ each: true })
  rupa_ids: string[];

  @ApiProperty({ description: 'Sections to return and bill for each farmer. Default: all that the account may read.' })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(SECTIONS, { each: true })
  sections?: Section[] | null;

  @ApiProperty({ description: 'A free-text tag for your own audit, recorded with each consent.', default: DEFAULT_SOURCE })
  @IsOptional()
  @Converted((value) => (value === '' ? null : value))
  @IsString()
  @MaxLength()
  source?: string | null;

  @ApiProperty({
    description:
      'If the balance is too low for all farmers that are found, bill them in the order asked as far as it goes, in place of none.',
    default: false,
  })
  @IsOptional()
  @IsBoolean()
  allow_partial?: boolean | null;
}
