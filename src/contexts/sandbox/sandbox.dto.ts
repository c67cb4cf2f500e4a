import { ApiProperty } from '@nestjs/swagger';
import { Max, Min } from 'class-validator';
import { type DocumentedError } from '../../http/openapi/errors.js';
import { Naira, OneOf, RupaId, Schema, Text } from '../../http/openapi/properties.js';
import { IsNaira, Required } from '../../http/validating/validation.js';
import { SUBSCRIBABLE_TYPES } from '../webhooks/public.js';
import { Input } from '../../http/validating/dto.js';

/** The largest amount of play money that one call adds, in NGN (decisions, "Sandbox"). */
const MAX_CREDIT = 1_000_000;

export const SANDBOX_FORBIDDEN: DocumentedError = {
  name: 'SandboxForbidden',
  codes: ['sandbox_only', 'api_key_not_linked', 'ip_not_allowed'],
  description: 'The key is of a live account or linked to no partner, or the caller’s address is not on the allow-list.',
};

export const CREDIT_CONFLICT: DocumentedError = {
  name: 'SandboxCreditConflict',
  codes: ['idempotency_in_progress', 'conflict'],
  description: 'A request with this Idempotency-Key is still running, or the wallet would hold more than any wallet may.',
};

@Schema('SandboxCredit', { amount: 5000 })
export class SandboxCreditDto extends Input {
  @ApiProperty({ description: 'Play money in NGN.' })
  @Required()
  @IsNaira()
  @Min(0.01)
  @Max(MAX_CREDIT)
  amount: number;
}

@Schema('SandboxCredited', { amount: 5000, balance: 103700 })
export class SandboxCredited {
  @Naira('NGN that were added.') readonly amount: number;
  @Naira('NGN in the wallet.') readonly balance: number;
}

@Schema('TriggeredSandboxEvent', { id: '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11', type: 'farmer.loan_added', rupa_id: 'rp-test-gold' })
export class TriggeredSandboxEvent {
  @Text({ description: '`id` of the notification.', format: 'uuid' }) readonly id: string;
  @OneOf(SUBSCRIBABLE_TYPES) readonly type: string;
  @RupaId({ nullable: true }) readonly rupa_id: string | null;
}

@Schema('SandboxReset', {})
export class SandboxWasReset {}
