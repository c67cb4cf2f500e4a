import { applyDecorators, type ArgumentsHost, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MinLength } from 'class-validator';
import { type FastifyReply } from 'fastify';
import { success } from '../../http/envelope.js';
import { type DocumentedError, Fails } from '../../http/openapi/errors.js';
import { Responds } from '../../http/openapi/operation.js';
import { FreeForm, ListOf, Naira, OneOf, PathParameter, Schema, Text, Time } from '../../http/openapi/properties.js';
import { Input } from '../../http/validating/dto.js';
import { NEXT_CURSOR, PageQueryDto } from '../../http/validating/paging.js';
import { MaxLength, Required } from '../../http/validating/validation.js';
import { MODES, type Mode } from '../../kernel/accounts.js';
import { APPROVAL_STATUSES, type ApprovalStatus, ApprovalWaits } from './domain/approval.js';
import { APPROVAL_KINDS, type ApprovalKind } from './domain/events.js';

const ID = '7c2f4e1a-93b5-8d60-a1f4-5b6c7d8e9f01';
const EXPIRES_AT = '2026-03-08T10:00:00.000Z';

export class ApprovalsQueryDto extends PageQueryDto {
  @IsOptional()
  @IsIn(APPROVAL_STATUSES)
  @ApiProperty({ description: 'Only approvals of this status.', example: 'pending' })
  status?: ApprovalStatus;
}

@Schema('RejectApproval', { reason: 'The transfer is not on the statement.' })
export class RejectionDto extends Input {
  @ApiProperty({ description: 'Shown with the approval, and kept in the log for good.' })
  @Required()
  @IsString()
  @MinLength(1)
  @MaxLength()
  reason: string;
}

@Schema('PendingApproval', { approval_id: ID, status: 'pending', expires_at: EXPIRES_AT })
class PendingApproval {
  @Text() readonly approval_id: string;
  @OneOf(['pending']) readonly status: 'pending';
  @Time('When it expires unless a second person approves it.') readonly expires_at: string;
}

const APPROVAL = {
  approval_id: ID,
  kind: 'credit',
  mode: 'live',
  partner_id: '3e0f3a55-8a33-4f0e-9b1a-0d2b5f6a7c8d',
  amount: 2500000,
  reference: 'transfer-1',
  call: { partner_id: '3e0f3a55-8a33-4f0e-9b1a-0d2b5f6a7c8d', amount: 2500000, reference: 'transfer-1' },
  status: 'executed',
  requested_by: 'admin:amina',
  requested_at: '2026-03-01T10:00:00.000Z',
  expires_at: EXPIRES_AT,
  decided_by: 'admin:bode',
  decided_at: '2026-03-01T11:30:00.000Z',
  rejection_reason: null,
} as const;

@Schema('Approval', APPROVAL)
export class ApprovalView {
  @Text() readonly approval_id: string;
  @OneOf(APPROVAL_KINDS) readonly kind: ApprovalKind;
  @OneOf(MODES) readonly mode: Mode;
  @Text({ description: 'Null for prices.', nullable: true }) readonly partner_id: string | null;
  @Naira({ description: 'NGN that counted against the limit; null for prices.', nullable: true }) readonly amount: number | null;
  @Text({ description: 'The call’s reference, or the id of the lookup to compensate; null for prices.', nullable: true })
  readonly reference: string | null;
  @FreeForm('The call as it is executed.') readonly call: Readonly<Record<string, unknown>>;
  @OneOf(APPROVAL_STATUSES, 'One that was approved and is not executed yet is pending.') readonly status: ApprovalStatus;
  @Text() readonly requested_by: string;
  @Time() readonly requested_at: string;
  @Time() readonly expires_at: string;
  @Text({ description: 'Who approved or rejected it; null before.', nullable: true }) readonly decided_by: string | null;
  @Time({ nullable: true }) readonly decided_at: string | null;
  @Text({ description: 'Why it was rejected.', nullable: true }) readonly rejection_reason: string | null;
}

@Schema('ApprovalList', { approvals: [APPROVAL], next_cursor: null })
export class ApprovalList {
  @ListOf(ApprovalView) readonly approvals: readonly ApprovalView[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}

@Schema('DecidedApproval', { approval_id: ID, status: 'executed' })
export class DecidedApproval {
  @Text() readonly approval_id: string;
  @OneOf(APPROVAL_STATUSES) readonly status: ApprovalStatus;
}

export const APPROVAL_ID = PathParameter({ name: 'id', description: 'Id of an approval.', schema: { type: 'string' }, example: ID });

export const APPROVAL_NOT_FOUND: DocumentedError = {
  name: 'ApprovalNotFound',
  codes: ['approval_not_found'],
  description: 'No approval has this id.',
};

export const SECOND_PERSON: DocumentedError = {
  name: 'SecondPersonNeeded',
  codes: ['role_not_allowed', 'same_person', 'name_required'],
  description: 'The caller is the person who made the call, or the token has no name; or the role of the token does not allow this call.',
};

export const APPROVAL_ENDED: DocumentedError = {
  name: 'ApprovalConflict',
  codes: ['conflict'],
  description:
    'It was rejected, has expired, or the call does not hold any more: `message` says what the call itself would be refused for.',
  data: {
    schema: {
      type: 'object',
      properties: {
        available_amount: { type: 'number', description: 'The balance that a payout exceeds, in NGN.' },
        reversible_amount: { type: 'number', description: 'What could be reversed, in NGN.' },
      },
    },
    example: { available_amount: 1200 },
    optional: true,
  },
};

/** The response to a call that waits for a second person. */
@Catch(ApprovalWaits)
class ApprovalWaitsFilter implements ExceptionFilter<ApprovalWaits> {
  catch({ approval: { approval_id, expires_at } }: ApprovalWaits, host: ArgumentsHost): void {
    const data: PendingApproval = { approval_id, status: 'pending', expires_at };
    void host.switchToHttp().getResponse<FastifyReply>().status(202).send(success(data));
  }
}

const NAME_REQUIRED: DocumentedError = {
  name: 'NameRequired',
  codes: ['role_not_allowed', 'name_required'],
  description: 'The call needs a second person, and the caller’s token has no name; or the role of the token does not allow this call.',
};

/** Documents and sends the response of a route whose call may need a second person. */
export const MayWaitForApproval: MethodDecorator = applyDecorators(
  UseFilters(ApprovalWaitsFilter),
  Responds(PendingApproval, { status: 202 }),
  Fails(NAME_REQUIRED),
);
