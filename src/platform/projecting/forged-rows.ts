import { setTimeout as delay } from 'node:timers/promises';
import { type ClientBase, type Pool } from 'pg';
import { type Column, primaryOf } from '../database/schema.js';
import { rowsOf, statementsOn } from '../database/typed-sql.js';
import { isStorableText } from '../../kernel/storable.js';
import { type Authenticated, decidingTables, type Projection } from './projection.js';
import { type CheckedTable } from './read-table.js';
import { type Difference } from './rebuilding/verify.js';
import { RowForged, type RowMacs, schemaOf } from './row-macs.js';

/** A row of ops.forged_row: one that decides and that the projector did not write, or that a verification has found to differ from the log. */
export interface ForgedRow {
  readonly table_name: string;
  /** Values of the primary key, as a JSON array. */
  readonly row_key: string;
  /** ISO 8601, UTC. */
  readonly noticed_at: string;
  /** How the row differs from the log, if a verification has found that; null for a row that was found by its MAC or its revision. */
  readonly difference: Difference['kind'] | null;
}

const table = statementsOn<{ 'ops.forged_row': ForgedRow }>();

/** Returns the rows that were noticed, the newest first. */
export async function forgedRows(pool: Pool, limit: number): Promise<ForgedRow[]> {
  return await rowsOf(pool, table.selectFrom('ops.forged_row').selectAll().orderBy('noticed_at', 'desc').limit(limit));
}

/** Returns how many rows of each table were noticed. */
export async function forgedByTable(pool: Pool): Promise<{ table_name: string; rows: number }[]> {
  const counted = table.selectFrom('ops.forged_row').select(({ fn }) => ['table_name', fn.countAll<number>().as('rows')]);
  return await rowsOf(pool, counted.groupBy('table_name').orderBy('table_name'));
}

/**
 * Refuses a call that decides by sums over tables of which a row was noticed: unlike single rows, sums have no MACs.
 * @throws RowForged
 */
export async function assertNoneForged(client: Pick<Pool, 'query'>, projections: readonly Projection[]): Promise<void> {
  const names = projections.map(({ name }) => name);
  const noticed = table.selectFrom('ops.forged_row').select('table_name').where('table_name', 'in', names).limit(1);
  const [forged] = await rowsOf(client, noticed);
  if (forged) throw new RowForged(forged.table_name);
}

/** Returns whether the table was created: the doctor may run before the first start of the service. */
export async function isCreated(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ created: boolean }>("select to_regclass('ops.forged_row') is not null as created");
  return rows[0]?.created ?? false;
}

const RECORD = `insert into ops.forged_row (table_name, row_key) select table_name, row_key
  from json_to_recordset($1) as f(table_name text, row_key text) on conflict (table_name, row_key) do update set noticed_at = now()`;

/** Other processes record the same rows in another order, which would be a deadlock. Reading goes on. */
const ALONE = 'lock table ops.forged_row in share row exclusive mode';

/**
 * Records the rows of a table that a verification has found to differ from the log, in place of those of the verification before. Rows whose
 * MAC does not hold are recorded wherever it is checked.
 */
export async function recordDifferences(client: ClientBase, name: string, differences: readonly Difference[]): Promise<void> {
  const rows = differences
    .filter(({ columns }) => !columns.includes('mac'))
    .map(({ key, kind }) => ({ row_key: JSON.stringify(JSON.parse(key)), difference: kind }));
  await client.query(ALONE);
  await client.query('delete from ops.forged_row where table_name = $1 and difference is not null', [name]);
  await client.query(
    `insert into ops.forged_row (table_name, row_key, difference)
     select $1, row_key, difference from json_to_recordset($2) as f(row_key text, difference text)
     on conflict (table_name, row_key) do update set noticed_at = now(), difference = excluded.difference`,
    [name, JSON.stringify(rows)],
  );
}

/** Forgets the rows of tables, which were rebuilt. */
export async function forgetForgedRows(client: ClientBase, names: readonly string[]): Promise<void> {
  await client.query(ALONE);
  await client.query('delete from ops.forged_row where table_name = any($1)', [names]);
}

/** Milliseconds for which found rows are collected before they are recorded, so that a hot one costs no statement a lookup. */
const RECORDED_EVERY_MS = 500;
const COLLECTED_MAX = 1_000;

/** Records the rows that `macs` finds not to be the projector's, for the doctor, the console and the metrics of every process. */
export function recordForgedRows(pool: Pool, macs: RowMacs): void {
  const found = new Map<string, Pick<ForgedRow, 'table_name' | 'row_key'>>();
  const record = (): void => {
    const rows = [...found.values()];
    found.clear();
    // A row that is still forged is found again.
    pool.query(RECORD, [JSON.stringify(rows)]).catch(() => undefined);
  };
  macs.onForged((table_name, row_key, isRecorded) => {
    // A rebuild may have forgotten the row since.
    if (isRecorded) return;
    if (found.size === 0) setTimeout(record, RECORDED_EVERY_MS).unref();
    if (found.size < COLLECTED_MAX) found.set(`${table_name} ${row_key}`, { table_name, row_key });
  });
}

interface NoticedRow extends Pick<ForgedRow, 'row_key' | 'difference'> {
  /** The row as it is now; null if there is none. */
  readonly row: (Authenticated & object) | null;
  /** Whether it was noticed longer ago than {@link NAMED_FOR}. */
  readonly is_old: boolean;
}

/** Rows of a table that are checked at a time. Rows of a lookup are large. */
const ROWS_PER_SWEEP = 250;
/** Pauses after each of them, in ms, and their length as a multiple of the time that it took: nobody waits for the sweep, so it takes 1 %. */
const PAUSE_MS = { min: 500, max: 5_000 };
const PAUSE_FACTOR = 99;
/** How long a row stays named that holds again: an older row that was put back holds for all who do not compare it with its stream. */
const NAMED_FOR = '1 minute';

/** Returns whether a text may be the key of a row. Somebody may have written others, at which a statement would fail. */
function isKey(text: string, primary: readonly Column[]): boolean {
  try {
    const key = JSON.parse(text) as unknown;
    if (!Array.isArray(key) || key.length !== primary.length || JSON.stringify(key) !== text) return false;
    return primary.every(({ type }, index) => (IS_PART[type] ?? isInteger)(key[index]));
  } catch {
    return false;
  }
}

function isText(part: unknown): boolean {
  return typeof part === 'string' && isStorableText(part);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function isUuid(part: unknown): boolean {
  return typeof part === 'string' && UUID.test(part);
}

const IS_PART: Readonly<Record<string, (part: unknown) => boolean>> = { text: isText, uuid: isUuid };

/** The keys that are no texts are numbers that count up. No row has one of more digits. */
function isInteger(part: unknown): boolean {
  return /^\d{1,15}$/.test(String(part));
}

interface Swept {
  readonly table: CheckedTable;
  /** Key of the last row that was checked. */
  after: readonly unknown[] | undefined;
}

/**
 * Checks the MACs of the rows that decide, a few of a table at a time and from the beginning again, so that one that nobody reads is named as
 * well. Rows without MACs stay named as the last verification found them.
 */
export class RowSweep {
  private next = 0;
  private readonly tables: Swept[];

  constructor(
    private readonly pool: Pool,
    private readonly macs: RowMacs,
    projections: readonly Projection[],
    operational: readonly CheckedTable[] = [],
  ) {
    this.tables = [...decidingTables(projections), ...operational].map((table) => ({ table, after: undefined }));
  }

  /** Sweeps until `signal` is aborted. A sweep that fails is repeated. */
  async run(signal: AbortSignal): Promise<void> {
    for (let pauseMs = PAUSE_MS.min; await delay(pauseMs, true, { signal }).catch(() => false);) {
      const startedAt = performance.now();
      await this.sweepNext().catch(() => undefined);
      pauseMs = Math.min(Math.max(PAUSE_MS.min, (performance.now() - startedAt) * PAUSE_FACTOR), PAUSE_MS.max);
    }
  }

  /** Checks the next rows of each table, and forgets the recorded ones that are genuine by now. */
  async sweep(): Promise<void> {
    do await this.sweepNext();
    while (this.next !== 0);
  }

  private async sweepNext(): Promise<void> {
    const each = this.tables[this.next];
    if (!each) return;
    this.next = (this.next + 1) % this.tables.length;
    if (each.table.authenticated) await this.check(each);
    await this.forgetGenuine(each.table);
    if (this.next === 0) await this.forgetOthers();
  }

  private async check(each: Swept): Promise<void> {
    const { after } = each;
    const { name: tableName, table } = each.table;
    const primary = primaryOf(table).map(({ name }) => name);
    const from = after === undefined ? '' : `where (${primary.join(', ')}) > (${primary.map((_, index) => `$${index + 1}`).join(', ')})`;
    const text = `select * from ${schemaOf(table)}.${tableName} ${from} order by ${primary.join(', ')} limit ${ROWS_PER_SWEEP}`;
    const { rows } = await this.pool.query<Authenticated & Record<string, unknown>>(text, [...(after ?? [])]);
    for (const row of rows) this.macs.holds(table, row);
    const last = rows.length < ROWS_PER_SWEEP ? undefined : rows.at(-1);
    each.after = last && primary.map((name) => last[name]);
  }

  /** Rows of other tables are named for as long as somebody reads them. */
  private async forgetOthers(): Promise<void> {
    const names = this.tables.map(({ table }) => table.name);
    await this.pool.query(`delete from ops.forged_row where table_name <> all($1) and noticed_at < now() - interval '${NAMED_FOR}'`, [
      names,
    ]);
  }

  private async forgetGenuine(checked: CheckedTable): Promise<void> {
    const { name, table } = checked;
    const primary = primaryOf(table);
    const { rows: recorded } = await this.pool.query<Pick<ForgedRow, 'row_key'>>(
      `select row_key from ops.forged_row where table_name = $1 order by noticed_at limit ${ROWS_PER_SWEEP}`,
      [name],
    );
    if (recorded.length === 0) return;
    const keys = recorded.map(({ row_key }) => row_key);
    const named = keys.filter((key) => isKey(key, primary));
    // Rows may stay named for days, so the index of the primary key finds them.
    const matches = primary.map((column, index) => `t.${column.name} = (k.row_key::json ->> ${index})::${column.type}`).join(' and ');
    const { rows } = await this.pool.query<NoticedRow>(
      `select f.row_key, f.difference, row_to_json(t) as row, f.noticed_at < now() - interval '${NAMED_FOR}' as is_old
       from unnest($2::text[]) as k (row_key) join ops.forged_row f on f.table_name = $1 and f.row_key = k.row_key
       left join ${schemaOf(table)}.${name} t on ${matches}`,
      [name, named],
    );
    const kept = new Set(rows.filter((noticed) => !this.isGenuine(checked, noticed)).map(({ row_key }) => row_key));
    const forgotten = keys.filter((key) => !kept.has(key));
    if (forgotten.length === 0) return;
    await this.pool.query('delete from ops.forged_row where table_name = $1 and row_key = any($2)', [name, forgotten]);
  }

  /** Returns whether a row need not be named any more. One that a verification has named is counted again until then, so that the alert fires. */
  private isGenuine({ name, table, authenticated }: CheckedTable, { row, row_key, difference, is_old }: NoticedRow): boolean {
    if (difference === null) return row === null || (is_old && (!authenticated || this.macs.holds(table, row)));
    // Whether a row that is there is the one of the log, only the next verification can tell.
    const mended = difference === 'missing' ? row !== null : row === null;
    if (!mended) this.macs.noteRow(name, JSON.parse(row_key) as unknown[], true);
    return mended;
  }
}
