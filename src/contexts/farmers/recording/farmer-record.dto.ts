import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { Schema } from '../../../http/openapi/properties.js';
import { IsRupaId, Required, type RupaId } from '../../../http/validating/validation.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { type FarmerRecord, SECTION_CLASSES } from '../domain/sections.js';
import { nested } from './field-kinds.js';
import { apiProperty, sentSchema } from './section-schemas.js';
import { Ignores, Input } from '../../../http/validating/dto.js';

/** Declares every section as an optional property. A section that is sent is validated by its class. */
function WithSections(): ClassDecorator {
  return ({ prototype }) => {
    for (const section of SECTIONS) {
      for (const decorate of [
        nested(SECTION_CLASSES[section]),
        IsOptional(),
        apiProperty({ ...sentSchema(section), nullable: true }, false),
      ])
        decorate(prototype as object, section);
    }
  };
}

/** A farmer's record as administrators send it. What GET shows can be sent. */
@WithSections()
@Ignores('profile_tier', 'profile_completeness', 'tier_criteria')
export abstract class FarmerFields extends Input {
  @ApiPropertyOptional({ description: 'Default at registration: live. The mode cannot change afterwards.' })
  @IsOptional()
  @IsIn(['live', 'sandbox'])
  mode?: 'live' | 'sandbox' | null;

  @IsOptional()
  @IsBoolean()
  phone_verified?: boolean;
}

/** Body of PUT /admin/v1/farmers/{rupaId}: a section that is sent replaces the stored one; other sections stay unchanged (admin.md). */
@Schema('RecordFarmer', { mode: 'live', phone_verified: true, identity: { full_name: 'Saater Kpamor', data_as_of: '2026-02-01' } })
export class FarmerDto extends FarmerFields {
  /** The one of the path, if it is sent. */
  @IsOptional()
  @IsRupaId()
  rupa_id?: RupaId;
}

/** A line of the file that `rupa farmers import` reads. */
export class ImportFarmerDto extends FarmerFields {
  @Required()
  @IsRupaId()
  rupa_id: RupaId;
}

/** Returns the part of a DTO that is recorded: its sections as plain JSON. A section sent as null counts as not sent. */
export function recordOf(dto: FarmerFields): Partial<FarmerRecord> {
  const { mode, rupa_id, ...sections } = dto as FarmerFields & { readonly rupa_id?: string };
  const sent = Object.entries(sections as Record<string, unknown>).filter(([, content]) => content !== null && content !== undefined);
  return JSON.parse(JSON.stringify(Object.fromEntries(sent))) as Partial<FarmerRecord>;
}
