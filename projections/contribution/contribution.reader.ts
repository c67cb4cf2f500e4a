import { type Pool } from 'pg';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, listOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type ContributionRow, table } from './contribution-table.js';

const tables = statementsOn<{ 'read.contribution': ContributionRow; 'read.partner': PartnerRow }>();
const r = columnsOf<ContributionRow>('r');

const COLUMNS = `${r.contribution_id}, ${r.rupa_id}, ${r.event}, ${r.amount_minor}, ${r.currency}, ${r.partner_reference}, ${r.occurred_at},
  ${r.payload}, ${r.recorded_at}, ${r.updated_at}`;

/** A period, whose end the position includes; of reports about test farmers those of the test run $6. */
const SHOWN = `${r.recorded_at} >= $5::timestamptz and (${r.test_run} is null or ${r.test_run} = $6)`;

const NEWEST = `select ${COLUMNS} from read.contribution r
  where ${r.partner_id} = $1 and (${r.recorded_at}, ${r.contribution_id}) < ($2::timestamptz, $3::bigint) and ${SHOWN}
  order by ${r.recorded_at} desc, ${r.contribution_id} desc limit $4`;

/** Only the index of references has this order, so PostgreSQL does not look for a reference among all contributions of the partner. */
const WITH_REFERENCE = `select ${COLUMNS} from read.contribution r
  where ${r.partner_id} = $1 and (${r.partner_reference}, ${r.recorded_at}, ${r.contribution_id}) < ($7, $2::timestamptz, $3::bigint)
    and ${r.partner_reference} >= $7 and ${SHOWN} and ($8::text is null or ${r.rupa_id} = $8)
  order by ${r.partner_reference} desc, ${r.recorded_at} desc, ${r.contribution_id} desc limit $4`;

/** Only one index has this order, so PostgreSQL does not look for a farmer among all contributions of the partner, or the reverse. */
const ABOUT_FARMER = `select ${COLUMNS} from read.contribution r
  where ${r.partner_id} = $1 and (${r.rupa_id}, ${r.recorded_at}, ${r.contribution_id}) < ($7, $2::timestamptz, $3::bigint)
    and ${r.rupa_id} >= $7 and ${SHOWN}
  order by ${r.rupa_id} desc, ${r.recorded_at} desc, ${r.contribution_id} desc limit $4`;

type OwnContribution = Pick<
  ContributionRow,
  | ('contribution_id' | 'rupa_id' | 'event' | 'amount_minor' | 'currency' | 'partner_reference' | 'occurred_at')
  | ('payload' | 'recorded_at' | 'updated_at')
>;

/** Selects a partner's contributions: those with a reference, about a farmer, and recorded in a period. */
export interface ContributionFilter {
  readonly partnerReference?: string | undefined;
  readonly rupaId?: string | undefined;
  /** ISO 8601, included. */
  readonly from?: string | undefined;
  /** ISO 8601, not included. */
  readonly to?: string | undefined;
}

type Position = readonly [recordedAt: string, contributionId: number];

/** Returns a page of a partner's contributions, the one reported last first. */
export async function contributionsOf(
  pool: Pool,
  { partner_id, test_run }: Pick<PartnerRow, 'partner_id' | 'test_run'>,
  { partnerReference, rupaId, from = '-infinity', to }: ContributionFilter,
  after: Position | undefined,
  limit: number,
): Promise<OwnContribution[]> {
  // No id is below 0, so a period ends before the first contribution of its last moment.
  const end: Position = to === undefined ? ['infinity', Number.MAX_SAFE_INTEGER] : [to, -1];
  const [recordedAt, contributionId] = after && (to === undefined || Date.parse(after[0]) < Date.parse(to)) ? after : end;
  const values = [partner_id, recordedAt, contributionId, limit, from, test_run];
  if (partnerReference !== undefined)
    return await rowsOf(pool, textStatement<OwnContribution>(WITH_REFERENCE, [...values, partnerReference, rupaId ?? null]));
  if (rupaId !== undefined) return await rowsOf(pool, textStatement<OwnContribution>(ABOUT_FARMER, [...values, rupaId]));
  return await rowsOf(pool, textStatement<OwnContribution>(NEWEST, values));
}

/** Returns the reports with a subject, and those with these ids. There may be thousands. @throws RowForged */
export async function reportsAbout(
  pool: Pool,
  macs: RowMacs,
  subject: string,
  ids: readonly number[],
): Promise<readonly ContributionRow[]> {
  const found = tables
    .selectFrom('read.contribution')
    .selectAll()
    .where((row) => row.or([row('subject', '=', subject), row('contribution_id', 'in', ids.length === 0 ? [-1] : ids)]));
  return (await rowsOf(pool, found)).map((row) => macs.genuine(table, row));
}

/** Returns all reports about a farmer with the partners that made them, the latest first; none about a test farmer. */
export async function reportsOn(snapshot: Snapshot, rupaId: string) {
  return await listOf(
    snapshot,
    tables
      .selectFrom('read.contribution as r')
      .innerJoin('read.partner as p', 'p.partner_id', 'r.partner_id')
      .select(['p.partner_id', 'p.company_name', 'p.account_type', 'r.contribution_id', 'r.event', 'r.occurred_at'])
      .where('r.subject', '=', rupaId)
      .orderBy('r.occurred_at', 'desc')
      .orderBy('r.contribution_id', 'desc'),
  );
}
