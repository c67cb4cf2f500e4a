import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { Integer, ListOf, OneOf, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { NEXT_CURSOR, PageQueryDto } from '../../../http/validating/paging.js';
import { AS_OF_INDEX } from '../tree/log-index.js';
import { IsDate8601, MaxLength } from '../../../http/validating/validation.js';

const MAX_LENGTH = 255;

export class AuditTrailQueryDto extends PageQueryDto {
  @IsOptional()
  @IsString()
  @MaxLength(MAX_LENGTH)
  @ApiProperty({ description: 'Only calls of this actor, role, name, or token’s fingerprint.', example: 'admin:amina' })
  actor?: string;

  @IsOptional()
  @IsString()
  @MaxLength(MAX_LENGTH)
  @ApiProperty({ description: 'Only calls of this action, or of this method or route.', example: 'PUT /admin/v1/farmers/:rupaId' })
  action?: string;

  @IsOptional()
  @IsDate8601()
  @ApiProperty({ description: 'ISO 8601 date (from its beginning, UTC) or timestamp: the earliest call.', example: '2026-03-01' })
  from?: string;

  @IsOptional()
  @IsDate8601()
  @ApiProperty({ description: 'ISO 8601 date (to its end, UTC) or timestamp: the latest call.', example: '2026-03-31' })
  to?: string;
}

const ENTRY = {
  entry_id: '2b1d6a56-0f4c-4f7a-9a4e-3c0f6c5d7e21',
  at: '2026-03-09T14:30:00.000Z',
  actor: 'admin:amina',
  role: 'admin',
  fingerprint: '0a1b2c3d',
  action: 'PUT /admin/v1/farmers/:rupaId',
  target: 'rp-spvyqbds',
  status: 200,
  request_id: '5a5f1c3e-7a54-4f0b-8b43-7c9f1d2e3b40',
  address: '203.0.113.7',
  reason: null,
};

@Schema('AuditTrailEntry', ENTRY)
export class AuditTrailEntry {
  @Text() readonly entry_id: string;
  @Time() readonly at: string;
  @Text('The role, and the name of the token or of the operating system’s user.') readonly actor: string;
  @OneOf(['admin', 'auditor', 'cli']) readonly role: 'admin' | 'auditor' | 'cli';
  @Text({ description: 'Identifies the token without revealing it; null on the command line.', nullable: true })
  readonly fingerprint: string | null;
  @Text('Method and route, or the name of a command.') readonly action: string;
  @Text({ description: 'Ids in the path, or arguments of the command that are ids, separated by spaces.', nullable: true })
  readonly target: string | null;
  @Integer({ description: 'HTTP or exit status; null while the call runs, and for good if its process ended first.', nullable: true })
  readonly status: number | null;
  @Text('`X-Request-Id` of the response, also in the events that the call caused.') readonly request_id: string;
  @Text({ description: 'IP address of the caller; null on the command line.', nullable: true }) readonly address: string | null;
  @Text({ description: '`X-Reason` of a call that reads personal data; null without one.', nullable: true })
  readonly reason: string | null;
}

@Schema('AuditTrail', { entries: [ENTRY], next_cursor: null, as_of_index: 40817 })
export class AuditTrail {
  @ListOf(AuditTrailEntry) readonly entries: readonly AuditTrailEntry[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
  @Integer(AS_OF_INDEX) readonly as_of_index: number | null;
}
