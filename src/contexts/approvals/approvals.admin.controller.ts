import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Actor } from '../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../http/envelope.js';
import { Fails } from '../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../http/openapi/operation.js';
import { Reads } from '../../http/route-rules.js';
import { PER_PAGE } from '../../http/validating/paging.js';
import { IdParam } from '../../http/validating/path-parameters.js';
import { Clock } from '../../kernel/clock.js';
import {
  APPROVAL_ENDED,
  APPROVAL_ID,
  APPROVAL_NOT_FOUND,
  ApprovalList,
  ApprovalsQueryDto,
  DecidedApproval,
  RejectionDto,
  SECOND_PERSON,
} from './approvals.dto.js';
import { type ApprovalState, statusAt } from './domain/approval.js';
import { FourEyes } from './four-eyes.js';
import { ListApprovals } from './list-approvals.query.js';

const APPROVE =
  'The call is checked again. If it does not hold any more, the response says why, and the approval stays pending. Approving it again changes nothing.';

@Controller('admin/v1/approvals')
@AdminApi('Approvals')
export class ApprovalsAdminController {
  constructor(
    private readonly queries: QueryBus,
    private readonly fourEyes: FourEyes,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Reads({ awaited: ['approval'] })
  @Operation('listApprovals', 'List the calls that need or needed a second person, newest first')
  @Responds(ApprovalList)
  async list(@Query() { status, limit = PER_PAGE, cursor }: ApprovalsQueryDto): Promise<Success<ApprovalList>> {
    return success(await this.queries.execute(new ListApprovals(status, limit, cursor)));
  }

  @Post(':id/approve')
  @HttpCode(200)
  @APPROVAL_ID
  @Operation('approveCall', 'Approve a call of another person, which is executed at once', APPROVE)
  @Responds(DecidedApproval)
  @Fails(APPROVAL_NOT_FOUND, SECOND_PERSON, APPROVAL_ENDED)
  async approve(@IdParam() id: string, @Actor() actor: string): Promise<Success<DecidedApproval>> {
    return this.decided(await this.fourEyes.approve(id, actor));
  }

  @Post(':id/reject')
  @HttpCode(200)
  @APPROVAL_ID
  @Operation('rejectCall', 'Reject a call that waits for approval; the person who made it may do so, too')
  @Responds(DecidedApproval)
  @Fails(APPROVAL_NOT_FOUND, APPROVAL_ENDED)
  async reject(@IdParam() id: string, @Body() rejection: RejectionDto, @Actor() actor: string): Promise<Success<DecidedApproval>> {
    return this.decided(await this.fourEyes.reject(id, rejection, actor));
  }

  private decided(state: ApprovalState): Success<DecidedApproval> {
    return success({ approval_id: state.approval_id, status: statusAt(state, this.clock.iso()) });
  }
}
