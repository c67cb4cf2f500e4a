import { type SqlBool } from 'kysely';
import { type Pool } from 'pg';
import { columnsOf, rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type DataKeyRow } from '../../src/platform/key-store/data-keys.js';
import { type FarmerProfileRow } from '../farmer-profile/farmer-profile.projection.js';
import { type ErasedFarmerRow } from './erased-farmer.projection.js';

interface Tables {
  readonly 'read.erased_farmer': ErasedFarmerRow;
  readonly 'read.farmer_profile': FarmerProfileRow;
  /** An erased farmer's row is a tombstone without a key. */
  readonly 'key_store.data_key': DataKeyRow;
}

const tables = statementsOn<Tables>();
const f = columnsOf<ErasedFarmerRow>('f');
const erased = tables
  .selectFrom('read.erased_farmer as e')
  .leftJoin('read.farmer_profile as f', 'f.rupa_id', 'e.rupa_id')
  // The service never stored personal data of a test farmer of the sandbox.
  .select(({ eb }) => ['e.rupa_id', 'e.position', eb('f.test', 'is not', null).as('is_test')])
  .orderBy('e.position');

export interface Erased extends Pick<ErasedFarmerRow, 'rupa_id' | 'position'> {
  readonly is_test: SqlBool;
}

/** Returns the position of a farmer's erasure in $all; undefined if the read model shows none. */
export async function erasurePositionOf(pool: Pool, rupaId: string): Promise<bigint | undefined> {
  const [erased] = await rowsOf(pool, tables.selectFrom('read.erased_farmer').select('position').where('rupa_id', '=', rupaId));
  return erased && BigInt(erased.position);
}

/** Returns the first farmers that were erased after a position in $all, in their order. */
export async function erasedAfter(pool: Pool, position: string, limit: number): Promise<Erased[]> {
  return await rowsOf(pool, erased.where('e.position', '>', position).limit(limit));
}

/** Returns the erased farmers whose data key exists or has no tombstone, which means that an older key store was restored. */
export async function erasedWithKeys(pool: Pool): Promise<Erased[]> {
  return await rowsOf(
    pool,
    erased
      .leftJoin('key_store.data_key as k', 'k.rupa_id', 'e.rupa_id')
      .where((where) => where.or([where.eb('k.rupa_id', 'is', null), where.eb('k.wrapped', 'is not', null)])),
  );
}

/** Returns whether the read models of farmers have tables, which they lack after a restore until a projector has built them. */
export async function areFarmersCreated(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ created: boolean }>(
    "select to_regclass('read.erased_farmer') is not null and to_regclass('read.farmer_profile') is not null as created",
  );
  return rows[0]?.created === true;
}

/**
 * Compares the farmers of the log with the key store, which a restore may have made older or newer than the log. Returns up to `limit` of
 * those who have a tombstone although the log lacks their erasure, and of those who have neither a key nor a tombstone.
 */
export async function unmatchedFarmers(pool: Pool, limit: number): Promise<{ readonly unerased: string[]; readonly keyless: string[] }> {
  const unerased = tables
    .selectFrom('key_store.data_key as k')
    .innerJoin('read.farmer_profile as f', 'f.rupa_id', 'k.rupa_id')
    .select('k.rupa_id')
    .where('k.wrapped', 'is', null)
    .where('f.erased', '=', false);
  const keyless = tables
    .selectFrom('read.farmer_profile as f')
    .leftJoin('key_store.data_key as k', 'k.rupa_id', 'f.rupa_id')
    .select('f.rupa_id')
    .where('k.rupa_id', 'is', null)
    .where('f.erased', '=', false);
  return {
    unerased: (await rowsOf(pool, unerased.orderBy('k.rupa_id').limit(limit))).map(({ rupa_id }) => rupa_id),
    keyless: (await rowsOf(pool, keyless.orderBy('f.rupa_id').limit(limit))).map(({ rupa_id }) => rupa_id),
  };
}

/** Returns how many farmers were erased after a position in $all. */
export async function erasuresAfter(pool: Pool, position: bigint): Promise<number> {
  const counted = tables.selectFrom('read.erased_farmer').select(({ fn }) => fn.countAll<number>().as('count'));
  return (await rowsOf(pool, counted.where('position', '>', position.toString())))[0]?.count ?? 0;
}

/** Returns the position of the last erasure in $all; -1 if there is none. */
export async function lastErasure(pool: Pool): Promise<bigint> {
  const [last] = await rowsOf(
    pool,
    tables.selectFrom('read.erased_farmer').select(({ fn }) => fn.max<string | null>('position').as('position')),
  );
  return BigInt(last?.position ?? -1);
}

/**
 * SQL condition: the farmer that a row of `table` names, if any, has not been erased. A scalar subquery is one probe of an index for each
 * row, whatever the statistics; PostgreSQL might answer `not exists` by reading all erased farmers.
 */
export function notErased(table: string): string {
  return `(select true from read.erased_farmer f where ${f.rupa_id} = ${table}.rupa_id limit 1) is null`;
}
