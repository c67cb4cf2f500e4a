import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsIn, IsOptional, IsString } from 'class-validator';
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
