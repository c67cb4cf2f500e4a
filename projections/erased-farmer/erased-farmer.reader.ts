import { type Pool } from 'pg';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type ErasedFarmerRow } from './erased-farmer.projection.js';

const tables = statementsOn<{ 'read.erased_farmer': ErasedFarmerRow }>();

/** Returns the position of a farmer's erasure in $all; undefined if the read model shows none. */
export async function erasurePositionOf(pool: Pool, rupaId: string): Promise<bigint | undefined> {
  const [erased] = await rowsOf(pool, tables.selectFrom('read.erased_farmer').select('position').where('rupa_id', '=', rupaId));
  return erased && BigInt(erased.position);
}

/**
 * SQL condition: the farmer that a row of `table` names, if any, has not been erased. A scalar subquery is one probe of an index for each
 * row, whatever the statistics; PostgreSQL might answer `not exists` by reading all erased farmers.
 */
export function notErased(table: string): string {
  return `(select true from read.erased_farmer f where f.rupa_id = ${table}.rupa_id limit 1) is null`;
}
