import { type ClientBase } from 'pg';
import { finished } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { type Column, columnsOf, tableStatements } from '../database/schema.js';
import { storableJson, storableText } from '../database/postgres-text.js';
import { keyText, type RowChanges } from './applying/fold.js';
import { type RowMacs } from './row-macs.js';
import { indexableKey, type Key, type Row, type Wipe } from './projection.js';
import { type ReadTable } from './read-table.js';
import { isStorableText } from '../../kernel/storable.js';

/** Number of new rows from which COPY, which takes an extra round trip, is faster than an upsert. */
const COPY_MIN_ROWS = 32;

/** Rows with MACs that a wipe loads and rewrites at a time. */
const ROWS_PER_WIPE = 1_000;

/** Rows that are converted to text at a time, so that memory does not hold the text of all rows beside its bytes. */
const ROWS_PER_CHUNK = 250;

/**
 * Settings for a transaction that touches few rows of large tables. Without them, the plan of a prepared statement made while the table
 * was small (a sequential scan) would be reused after it has grown.
 */
export const PREFER_KEY_LOOKUPS = ['seqscan', 'hashjoin', 'mergejoin'].map((way) => `set local enable_${way} = off`).join('; ');

/** Creates the table of a read model, empty, after dropping the one that exists. */
export async function createTable(client: ClientBase, { name, table, fillFactor }: ReadTable, schema: string): Promise<void> {
  await client.query(`drop table if exists ${schema}.${name}`);
  await client.query(await tableStatements(table, schema));
  if (fillFactor !== undefined) await client.query(`alter table ${schema}.${name} set (fillfactor = ${fillFactor})`);
}

/** Reads and writes the rows of one read model, with one statement per operation. */
export class ReadModelTable {
  private readonly name: string;
  private readonly columns: readonly Column[];
  /** Suffix of the prepared statements' names: a new version of the table needs new statements. */
  private readonly version: string;
  private readonly primary: readonly string[];
  private readonly copy: string;
  private readonly select: string;
  private readonly upsert: string;
  private readonly remove: string;

  constructor(
    private readonly projection: ReadTable,
    schema: string,
    private readonly macs: RowMacs,
  ) {
    const columns = columnsOf(projection.table);
    this.columns = columns;
    const names = columns.map(({ name }) => name);
    this.name = `${schema}.${projection.name}`;
    this.version = `${this.name} ${projection.version}`;
    this.primary = columns.filter(({ primary }) => primary).map(({ name }) => name);
    const others = names.filter((name) => !this.primary.includes(name));
    const listed = names.join(', ');
    const match = this.primary.map((name) => `t.${name} = k.${name}`).join(' and ');
    const wanted = this.primary.map((name) => `${name} ${columns.find((column) => column.name === name)?.type ?? 'text'}`).join(', ');
    const keys = `json_to_recordset($1) as k(${wanted})`;
    const update = others.length === 0 ? 'nothing' : `update set ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    this.copy = `copy ${this.name} (${listed}) from stdin`;
    this.select = `select ${names.map((name) => `t.${name}`).join(', ')} from ${keys} join ${this.name} t on ${match}`;
    this.upsert = `insert into ${this.name} (${listed}) select ${listed} from json_populate_recordset(null::${this.name}, $1) on conflict (${this.primary.join(', ')}) do ${update}`;
    this.remove = `delete from ${this.name} t using ${keys} where ${match}`;
  }

  /** Returns the rows that exist, by the text of their keys. */
  async load(client: ClientBase, keys: readonly Key[]): Promise<Map<string, Row>> {
    if (keys.length === 0) return new Map();
    const { rows } = await client.query<Record<string, string | number>>({
      name: `load ${this.version}`,
      text: this.select,
      values: [JSON.stringify(keys.map(indexableKey))],
    });
    const { authenticated, table } = this.projection;
    return new Map(
      rows.map((row) => [
        keyText(Object.fromEntries(this.primary.map((name) => [name, row[name] ?? '']))),
        authenticated ? this.macs.loaded(table, row) : row,
      ]),
    );
  }

  /** Adds rows with COPY, the fastest way to write many. None of them may exist yet. */
  async insert(client: ClientBase, rows: readonly Row[]): Promise<void> {
    const stream = client.query(copyFrom(this.copy));
    for (let at = 0; at < rows.length; at += ROWS_PER_CHUNK)
      stream.write(copyText(this.withMacs(rows.slice(at, at + ROWS_PER_CHUNK)), this.columns));
    await finished(stream.end());
  }

  async wipe(client: ClientBase, { where, columns }: Wipe): Promise<void> {
    const condition = Object.keys(where)
      .map((column, index) => `${column} = $${index + 1}`)
      .join(' and ');
    const set = columns.map((column) => `${column} = null`).join(', ');
    if (!this.projection.authenticated) {
      await client.query(`update ${this.name} set ${set} where ${condition}`, Object.values(where));
      return;
    }
    const { rows: keys } = await client.query<Key>(
      `select ${this.primary.join(', ')} from ${this.name} where ${condition}`,
      Object.values(where),
    );
    const none = Object.fromEntries(columns.map((column) => [column, null]));
    for (let at = 0; at < keys.length; at += ROWS_PER_WIPE) {
      const rows = await this.load(client, keys.slice(at, at + ROWS_PER_WIPE));
      await this.write(client, { added: [], upserts: Array.from(rows.values(), (row) => ({ ...row, ...none })), deletions: [] });
    }
  }

  /**
   * Writes the changes of a batch.
   * @throws Error if a row in `added` exists already and `added` is long enough for COPY; fewer rows are upserted
   */
  async write(client: ClientBase, { added, upserts, deletions }: RowChanges): Promise<void> {
    const [copied, upserted] = added.length < COPY_MIN_ROWS ? [[], [...added, ...upserts]] : [added, upserts];
    if (copied.length > 0) await this.insert(client, copied);
    if (upserted.length > 0)
      await client.query({ name: `write ${this.version}`, text: this.upsert, values: [storableJson(this.withMacs(upserted))] });
    if (deletions.length > 0)
      await client.query({ name: `remove ${this.version}`, text: this.remove, values: [JSON.stringify(deletions.map(indexableKey))] });
  }

  private withMacs(rows: readonly Row[]): readonly Row[] {
    const { authenticated, table } = this.projection;
    return authenticated ? this.macs.authenticate(table, rows) : rows;
  }
}

const NULL = '\\N';
/** Characters that the format requires to be escaped. */
const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns the rows in the text format of PostgreSQL's COPY, with the same values that json_populate_recordset would store for them. */
function copyText(rows: readonly Row[], columns: readonly Column[]): string {
  const text = lines(rows, columns, (value) => value);
  // Almost all texts are storable, and one check of them together takes much less time than one of each.
  return isStorableText(text) ? text : lines(rows, columns, storableText);
}

function lines(rows: readonly Row[], columns: readonly Column[], storable: (text: string) => string): string {
  return rows.map((row) => line(row, columns, storable)).join('');
}

function line(row: Row, columns: readonly Column[], storable: (text: string) => string): string {
  const values = columns.map(({ name, type }) => {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    if (value === null || value === undefined) return NULL;
    if (typeof value === 'number') return JSON.stringify(value);
    return escaped(typeof value !== 'string' || type === 'json' || type === 'jsonb' ? storableJson(value) : storable(value));
  });
  return `${values.join('\t')}\n`;
}

function escaped(text: string): string {
  return text.search(SPECIAL) < 0 ? text : text.replace(SPECIAL, (character) => ESCAPED[character] ?? character);
}
