import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, MinLength } from 'class-validator';
import { TOMORROW } from '../../http/openapi/moving-times.js';
import { Nested, Schema, Text, Time } from '../../http/openapi/properties.js';
import { Input } from '../../http/validating/dto.js';
import { IsDate8601, MaxLength, Required } from '../../http/validating/validation.js';
import { MAX_DAYS } from './domain/maintenance.js';

const EXAMPLE = { reason: 'We move to another event store.', until: '2026-03-01T23:00:00.000Z' };

@Schema('AnnounceMaintenance', { ...EXAMPLE, until: TOMORROW })
export class MaintenanceDto extends Input {
  @ApiProperty({ description: 'Shown to every partner whose call is refused, and kept in the log for good.' })
  @Required()
  @IsString()
  @MinLength(3)
  @MaxLength()
  reason: string;

  @ApiProperty({
    description: `ISO 8601 timestamp at which maintenance ends by itself, at most ${MAX_DAYS} days ahead. Default: it lasts until it is ended.`,
  })
  @IsOptional()
  @IsDate8601()
  until?: string | null;
}

const IN_FORCE = { ...EXAMPLE, since: '2026-03-01T22:00:00.000Z', actor: 'admin:amina' };

@Schema('Maintenance', IN_FORCE)
export class MaintenanceView {
  @Text() readonly reason: string;
  @Time() readonly since: string;
  @Time({ description: 'Moment at which it ends by itself; null if it lasts until it is ended.', nullable: true })
  readonly until: string | null;
  @Text('Who set this reason and this end.') readonly actor: string;
}

@Schema('MaintenanceState', { maintenance: IN_FORCE })
export class MaintenanceState {
  @Nested(MaintenanceView, { description: 'Null if every call is accepted.', nullable: true }) readonly maintenance: MaintenanceView | null;
}
