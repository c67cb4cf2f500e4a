import { sql } from 'kysely';
import { type Pool } from 'pg';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type StoredResponseRow } from '../../src/platform/stored-responses/stored-response-table.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type OpenChargeRow } from './open-charge.projection.js';

const tables = statementsOn<{ 'read.open_charge': OpenChargeRow; 'read.partner': PartnerRow }>();
const o = columnsOf<OpenChargeRow>('o');
const k = columnsOf<StoredResponseRow>('k');

/** Returns the lookups whose charges are open. */
export async function openLookups(pool: Pool): Promise<string[]> {
  return (await rowsOf(pool, tables.selectFrom('read.open_charge').select('lookup_id'))).map(({ lookup_id }) => lookup_id);
}

/** Returns how many charges are open, and for how many seconds the oldest has been. */
export async function openChargeBacklog(pool: Pool): Promise<{ count: number; oldestSeconds: number }> {
  const [backlog] = await rowsOf(
    pool,
    tables
      .selectFrom('read.open_charge')
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        sql<number>`coalesce(greatest(extract(epoch from now() - ${fn.min('debited_at')}), 0), 0)::float8`.as('oldestSeconds'),
      ]),
  );
  return backlog ?? { count: 0, oldestSeconds: 0 };
}

/** Returns how many charges of a mode from before a moment are open. @param until ISO 8601 */
export async function openChargesBefore(snapshot: Snapshot, mode: Mode, until: string): Promise<number> {
  const [row] = await rowsOf(
    snapshot,
    tables
      .selectFrom('read.open_charge as o')
      .innerJoin('read.partner as p', 'p.partner_id', 'o.partner_id')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('p.mode', '=', mode)
      .where('o.debited_at', '<', until),
  );
  return row?.count ?? 0;
}

/** An open charge, with what is known about the process that made it and about the response to its lookup. */
export interface ExaminedCharge extends Pick<OpenChargeRow, 'lookup_id' | 'partner_id' | 'instance'> {
  /** Whether a process is connected that has the instance's number. */
  readonly present: boolean;
  readonly key: 'none' | 'stored' | 'leased' | 'abandoned';
}

const EXAMINED = `select ${o.lookup_id}, ${o.partner_id}, ${o.instance},
    exists (select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = $2 and l.objid::bigint = ${o.instance} and l.granted
      and l.database = (select oid from pg_database where datname = current_database())) as present,
    case when ${k.lookup_id} is null then 'none' when ${k.response} is not null then 'stored' when ${k.leased_until} > now() then 'leased' else 'abandoned' end as key
  from read.open_charge o left join ops.stored_response k on ${k.lookup_id} = ${o.lookup_id} where ${o.lookup_id} = any($1)`;

/** Returns those of the lookups' charges that are open. @param presenceLock class of the locks that the instances hold */
export async function examinedCharges(pool: Pool, lookupIds: readonly string[], presenceLock: number): Promise<ExaminedCharge[]> {
  return (await pool.query<ExaminedCharge>(EXAMINED, [lookupIds, presenceLock])).rows;
}
