import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { approvalProjection, type ApprovalRow } from '../../../projections/approval/approval.projection.js';
import { newestApprovals } from '../../../projections/approval/approval.reader.js';
import { Cursors } from '../../http/validating/paging.js';
import { Clock } from '../../kernel/clock.js';
import { toNaira } from '../../kernel/money.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { type ApprovalList, type ApprovalView } from './approvals.dto.js';
import { type ApprovalStatus, statusAt } from './domain/approval.js';

/** Lists approvals, newest first. @throws ValidationFailed if the cursor is malformed; ReadModelBehind, because a hidden one may expire */
export class ListApprovals extends Query<ApprovalList> {
  constructor(
    readonly status: ApprovalStatus | undefined,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

const CURSORS = new Cursors('approvals', 'position');

@QueryHandler(ListApprovals)
export class ListApprovalsHandler implements IQueryHandler<ListApprovals> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  async execute({ status, limit, cursor }: ListApprovals): Promise<ApprovalList> {
    const [before] = CURSORS.position(cursor) ?? [];
    await this.readModels.waitForLog([approvalProjection]);
    const at = this.clock.iso();
    const rows = await newestApprovals(this.pool, { status, at }, before, limit + 1);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ position }) => [position]);
    return { approvals: items.map((row) => approvalView(row, at)), next_cursor };
  }
}

function approvalView({ position: _, amount_kobo, ended, ...row }: ApprovalRow, at: string): ApprovalView {
  const amount = amount_kobo === null ? null : toNaira(amount_kobo);
  return { ...row, amount, status: ended ?? statusAt({ expires_at: row.expires_at }, at) };
}
