import { type Pool } from 'pg';
import { type ReportedCriteria, RECORD_CRITERIA, type RecordCriteria } from '../../src/contexts/farmers/domain/profile-tier.js';
import { type Section, SECTIONS } from '../../src/kernel/section-names.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
import { setAsideIn } from '../../src/platform/unusable-events/unusable-table.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { consentRosterProjection, type ConsentRosterRow } from '../consent-roster/consent-roster.projection.js';
import { type ErasedFarmerRow } from '../erased-farmer/erased-farmer.projection.js';
import { farmerReports } from '../farmer-reports/farmer-reports.derivation.js';
import { hasItem, REPORTS_COLUMNS, reportsIn, reportsJoin, type ReportsText } from '../farmer-reports/farmer-reports.reader.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { farmerProfileProjection, type FarmerProfileRow } from './farmer-profile.projection.js';

const tables = statementsOn<{ 'read.farmer_profile': FarmerProfileRow; 'read.erased_farmer': ErasedFarmerRow }>();
const [c, f, p] = [columnsOf<ConsentRosterRow>('c'), columnsOf<FarmerProfileRow>('f'), columnsOf<PartnerRow>('p')];

export interface FoundFarmer extends Pick<FarmerProfileRow, 'rupa_id' | 'mode'> {
  readonly is_test: boolean;
  readonly set_aside: string | null;
  readonly forged: boolean;
}

/** Sections are read as the stored text, which the MAC covers: parsing it would mean to write it again for the MAC. */
const PROFILE = `${f.rupa_id}, ${f.mode}, ${f.registered_at}, ${f.has_bureau_report}, ${RECORD_CRITERIA.map((criterion) => f[criterion]).join(', ')}, ${f.test},
    ${SECTIONS.map((section) => `${f[section]}::text`).join(', ')}, ${f.erased}, ${f.event_revision}, ${f.mac}`;

const FIND = `select ${PROFILE}, ${setAsideIn(`'farmer-' || ${f.rupa_id}`)} as set_aside
  from read.farmer_profile f where ${f.rupa_id} = any($1) and not ${f.erased}`;

/** Returns those of the farmers that are registered and not erased. */
export async function findFarmers(pool: Pool, macs: RowMacs, rupaIds: readonly string[]): Promise<FoundFarmer[]> {
  const found = { name: 'find-farmers', text: FIND, values: [rupaIds] };
  const { rows } = await pool.query<StoredProfile>(found);
  return rows.map((row) => {
    const { rupa_id, mode, test, set_aside } = row;
    return { rupa_id, mode, is_test: test !== null, set_aside, forged: !macs.holds(farmerProfileProjection.table, row) };
  });
}

const TIER = `select f.*, ${REPORTS_COLUMNS} from read.farmer_profile f ${reportsJoin(f.rupa_id)} where ${f.rupa_id} = $1 and not ${f.erased}`;

/**
 * Returns what a farmer's tier depends on, for everybody: of a test farmer, no reports but its sample reports. Undefined if the farmer is unknown
 * or erased. @throws RowForged
 */
export async function tierCriteria(pool: Pool, macs: RowMacs, rupaId: string): Promise<(RecordCriteria & ReportedCriteria) | undefined> {
  const [row] = await rowsOf(pool, textStatement<FarmerProfileRow>(TIER, [rupaId]));
  if (!row) return undefined;
  const reports = row.test ? undefined : reportsIn(row);
  if (reports) macs.genuine(farmerReports.table, reports);
  return { ...macs.genuine(farmerProfileProjection.table, row), ...reportedCriteria(row, reports) };
}

/** A test farmer has its sample reports besides those of partners. */
export function reportedCriteria({ test }: Pick<FarmerProfileRow, 'test'>, reports: ReportsText | undefined): ReportedCriteria {
  const has = (list: 'harvests' | 'input_purchases'): boolean => (test?.reports[list].length ?? 0) > 0 || hasItem(reports, list);
  return { has_harvest: has('harvests'), has_input_purchase: has('input_purchases') };
}

/** The farmer of a lookup. */
export interface WantedFarmer {
  /** Number of the request, by which its row is found. */
  readonly n: number;
  readonly partner_id: string;
  readonly rupa_id: string;
  /** The subject of the partner's reports if the farmer is a test farmer. */
  readonly test_subject: string;
}

/** A farmer's profile, with each section as the stored JSON text. */
export type ProfileText = Omit<FarmerProfileRow, Section | 'erased'> & { readonly [S in Section]: string | null };

interface StoredProfile extends ProfileText {
  /** The event that was set aside in one of its streams, if there is one. */
  readonly set_aside: string | null;
}

interface StoredLookupRow extends StoredProfile {
  readonly request_index: number;
  readonly consent: ConsentRosterRow | null;
}

export interface LookupRow extends Pick<StoredLookupRow, 'set_aside' | 'request_index'> {
  readonly profile: ProfileText;
  readonly reported_criteria: ReportedCriteria;
  readonly consented: boolean;
  /** undefined if nothing was reported about the farmer. */
  readonly reports: ReportsText | undefined;
  /** The table whose row of this lookup the projector did not write, if there is one. */
  readonly forged: string | undefined;
}

/** Reads each table by its key, so that a lookup takes as long whatever was reported about the farmer. */
const LOOKUP = `select w.n as request_index, case when ${c.rupa_id} is not null then row_to_json(c) end as consent, ${setAsideIn("'farmer-' || w.rupa_id", "'consent-' || w.partner_id || '-' || w.rupa_id")} as set_aside,
    ${PROFILE}, ${REPORTS_COLUMNS}
  from json_to_recordset($1) as w(n int, partner_id text, rupa_id text, test_subject text)
  join read.farmer_profile f on ${f.rupa_id} = w.rupa_id and not ${f.erased}
  left join read.consent_roster c on ${c.partner_id} = w.partner_id and ${c.rupa_id} = w.rupa_id
  ${reportsJoin(`case when ${f.test} is null then ${f.rupa_id} else w.test_subject end`)}`;

/** Returns what lookups need about their farmers, without those who are unknown or erased. */
export async function farmersForLookups(pool: Pool, macs: RowMacs, wanted: readonly WantedFarmer[]): Promise<LookupRow[]> {
  const { rows } = await pool.query<StoredLookupRow>({ name: 'lookup-farmers', text: LOOKUP, values: [JSON.stringify(wanted)] });
  return rows.map((row) => {
    const { request_index, set_aside, consent } = row;
    const reports = reportsIn(row);
    const read = [
      [farmerProfileProjection.table, row],
      [farmerReports.table, reports],
      [consentRosterProjection.table, consent],
    ] as const;
    const forged = read.find(([table, each]) => each && !macs.holds(table, each))?.[0].meta.tableName;
    const reported_criteria = reportedCriteria(row, reports);
    return { request_index, set_aside, profile: row, reported_criteria, reports, consented: consent !== null, forged };
  });
}

/** Returns when a farmer was registered, and when erased; undefined for an unknown farmer. */
export async function registrationOf(snapshot: Snapshot, rupaId: string) {
  const [farmer] = await rowsOf(
    snapshot,
    tables
      .selectFrom('read.farmer_profile as f')
      .leftJoin('read.erased_farmer as e', 'e.rupa_id', 'f.rupa_id')
      .select(['f.rupa_id', 'f.mode', 'f.registered_at', 'e.erased_at'])
      .where('f.rupa_id', '=', rupaId),
  );
  return farmer;
}

const OUTDATED = `select exists (select from read.partner p where ${p.mode} = 'sandbox') and (
    select count(*) from read.farmer_profile f where ${f.rupa_id} = any($1) and (${f.test}->>'version')::int >= $2) < cardinality($1) as outdated`;

/** Returns whether there are sandbox partners, but not yet every one of the test farmers in the version. */
export async function lacksTestFarmers(pool: Pool, rupaIds: readonly string[], version: number): Promise<boolean> {
  const [found] = await rowsOf(pool, textStatement<{ outdated: boolean }>(OUTDATED, [rupaIds, version]));
  return found?.outdated ?? false;
}
