import { type Pool } from 'pg';
import { columnsOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { type ApprovalStatus } from '../../src/contexts/approvals/domain/approval.js';
import { type ApprovalRow } from './approval.projection.js';

const a = columnsOf<ApprovalRow>('a');
/** Higher than every position in $all. */
const POSITIONS = '99999999999999999999';

const OF_STATUS: Readonly<Record<ApprovalStatus, string>> = {
  pending: `${a.ended} is null and ${a.expires_at} > $2::timestamptz`,
  expired: `${a.ended} is null and ${a.expires_at} <= $2::timestamptz`,
  executed: `${a.ended} = 'executed' and $2::timestamptz is not null`,
  rejected: `${a.ended} = 'rejected' and $2::timestamptz is not null`,
};

/** Returns the approvals before a position in $all, newest first. @param at the time at which the status is asked for; ISO 8601, UTC */
export async function newestApprovals(
  pool: Pool,
  { status, at }: { readonly status: ApprovalStatus | undefined; readonly at: string },
  before: string | undefined,
  limit: number,
): Promise<readonly ApprovalRow[]> {
  const condition = status === undefined ? '$2::timestamptz is not null' : OF_STATUS[status];
  const text = `select a.* from read.approval a where ${a.position} < $1::numeric and ${condition} order by ${a.position} desc limit $3`;
  return await rowsOf(pool, textStatement<ApprovalRow>(text, [before ?? POSITIONS, at, limit]));
}
