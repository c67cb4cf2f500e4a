import { type Pool } from 'pg';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { listOf, rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type ContributionRow } from './contribution.projection.js';

const tables = statementsOn<{ 'read.contribution': ContributionRow; 'read.partner': PartnerRow }>();

/** Returns a page of a partner's contributions, the one reported last first; of those with a reference, if one is given. */
export async function contributionsOf(
  pool: Pool,
  partnerId: string,
  partnerReference: string | undefined,
  after: readonly [recordedAt: string, contributionId: number] | undefined,
  limit: number,
) {
  const own = tables
    .selectFrom('read.contribution')
    .select(['contribution_id', 'rupa_id', 'event', 'amount_minor', 'currency', 'partner_reference', 'occurred_at'])
    .select(['payload', 'recorded_at', 'updated_at'])
    .where('partner_id', '=', partnerId)
    .orderBy('recorded_at', 'desc')
    .orderBy('contribution_id', 'desc')
    .limit(limit);
  const referenced = partnerReference === undefined ? own : own.where('partner_reference', '=', partnerReference);
  return await rowsOf(
    pool,
    after === undefined
      ? referenced
      : referenced.where((where) => where.eb(where.refTuple('recorded_at', 'contribution_id'), '<', where.tuple(...after))),
  );
}

/** Returns all reports about a farmer with the partners that made them, the latest first. */
export async function reportsOn(snapshot: Snapshot, rupaId: string) {
  return await listOf(
    snapshot,
    tables
      .selectFrom('read.contribution as r')
      .innerJoin('read.partner as p', 'p.partner_id', 'r.partner_id')
      .select(['p.partner_id', 'p.company_name', 'p.account_type', 'r.contribution_id', 'r.event', 'r.occurred_at'])
      .where('r.rupa_id', '=', rupaId)
      .orderBy('r.occurred_at', 'desc')
      .orderBy('r.contribution_id', 'desc'),
  );
}
