import { type ClientBase, type Pool } from 'pg';
import { inTransaction } from '../../database/pool.js';
import { readCheckpoints, setCheckpoint } from '../checkpoints.js';
import { refuseForeignLog } from '../logs/foreign-log.js';
import { type Projection, tablesOf } from '../projection.js';
import { type ReadTable } from '../read-table.js';
import { createTable } from '../read-model-table.js';
import { withRebuildLock, rebuild } from '../rebuilding/rebuild.js';
import { type ShadowParts } from '../rebuilding/shadow.js';
import { newerReadModel, SteppedDown } from './stepped-down.js';

/** The read models whose existing tables need work before or after the start. */
interface Plan {
  /** Read models without a table, or whose table has other columns than this version expects. */
  readonly unreadable: readonly Projection[];
  /** Read models of an older version with the same columns: their tables can be read until they are rebuilt. */
  readonly outdated: readonly Projection[];
}

/**
 * Makes sure that every read model has a table that this version can read. If the log is empty, the tables are created empty.
 * Otherwise tables that are missing or have other columns are built in a shadow schema before this returns, while other instances
 * continue with the live ones. Returns the outdated read models, which can be read but are to be rebuilt.
 * @throws SteppedDown if a newer version of the service built them, Error if they were built from another log
 */
export async function prepareReadModels(
  parts: ShadowParts,
  projections: readonly Projection[],
  schema: string,
): Promise<readonly Projection[]> {
  await refuseForeignLog(parts.pool, parts.eventStore);
  const found = await plan(parts, projections, schema);
  if (found.unreadable.length === 0) return found.outdated;
  await withRebuildLock(parts, async () => {
    const { unreadable } = await plan(parts, projections, schema);
    if (unreadable.length === 0) return;
    const isEmpty = (await parts.eventStore.headPosition()) === undefined;
    if (isEmpty) await createEmpty(parts, unreadable, schema);
    else await rebuild(parts, unreadable, schema, 'serve');
  });
  return (await plan(parts, projections, schema)).outdated;
}

/** Returns whether every read model has a table that this version can read. @throws SteppedDown if a newer version built one of them */
export async function areReadable(pool: Pool, projections: readonly Projection[], schema: string): Promise<boolean> {
  return (await plan({ pool }, projections, schema)).unreadable.length === 0;
}

async function plan({ pool }: Pick<ShadowParts, 'pool'>, projections: readonly Projection[], schema: string): Promise<Plan> {
  return await inTransaction(pool, async (client) => {
    const known = await readCheckpoints(client);
    const newer = newerReadModel(known, projections);
    if (newer !== undefined) throw new SteppedDown(newer);
    const unreadable: Projection[] = [];
    const outdated: Projection[] = [];
    for (const projection of projections) {
      const version = known.get(projection.name)?.version ?? 0;
      const isReadable = version > 0 && (await haveColumns(client, tablesOf([projection]), schema));
      if (!isReadable) unreadable.push(projection);
      else if (version < projection.version) outdated.push(projection);
    }
    return { unreadable, outdated };
  });
}

async function createEmpty({ pool }: ShadowParts, projections: readonly Projection[], schema: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`create schema if not exists ${schema}`);
    for (const projection of projections) {
      for (const table of tablesOf([projection])) await createTable(client, table, schema);
      await setCheckpoint(client, projection.name, projection.version, -1n);
    }
  });
}

/** Returns whether each of the tables exists with the columns of its definition. */
async function haveColumns(client: ClientBase, tables: readonly ReadTable[], schema: string): Promise<boolean> {
  for (const table of tables) if (!(await hasColumnsOf(client, table, schema))) return false;
  return true;
}

/**
 * Compares the table in the database with the projection's definition, by creating the latter in a temporary schema that is rolled back.
 */
async function hasColumnsOf(client: ClientBase, table: ReadTable, schema: string): Promise<boolean> {
  const existing = await columnsIn(client, schema, table.name);
  if (existing.length === 0) return false;
  await client.query('savepoint comparison');
  await client.query('create schema read_comparison');
  await createTable(client, table, 'read_comparison');
  const defined = await columnsIn(client, 'read_comparison', table.name);
  await client.query('rollback to savepoint comparison');
  return existing.join() === defined.join();
}

async function columnsIn(client: ClientBase, schema: string, table: string): Promise<string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end as column
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped order by a.attname`,
    [schema, table],
  );
  return rows.map(({ column }) => column);
}
