import { ArrayNotEmpty, IsArray, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { type Section, SECTIONS } from '../../kernel/section-names.js';
import { IsRupaId, Required } from '../../http/validation.js';

/** Interface 4.2. */
export class LookupDto {
  @Required()
  @IsRupaId()
  rupa_id: string;

  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @IsIn(SECTIONS, { each: true })
  sections?: Section[] | null;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  source?: string | null;
}
