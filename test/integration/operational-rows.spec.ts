import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

/** Tables whose row is not declared: no statement returns their columns. The list only gets shorter. */
const UNDECLARED: readonly string[] = ['ops.verification'];

/** An interface whose comment begins with the table that it is a row of. */
const ROW = /\/\*\* A row of (?<table>(?:ops|key_store)\.\w+): [^/]*\*\/\n(?:export )?interface \w+ \{\n(?<fields>[^}]*)\}/g;
/** The columns that a statement needs of a table of another module. */
const PART = /'(?<table>(?:ops|key_store)\.\w+)': \{(?<fields>[^}]*)\}/g;
const FIELD = /readonly (?<name>\w+)\??: (?<type>[^;}]+?)(?:;| ?$)/gm;
/** The rows of a statement, as a type that is written beside it. */
const RESULT = /\b(?:query|rows|textStatement)<(?<result>[^()]*?)>\(/g;
const TABLE = /\b(?:ops|key_store)\.[a-z_]+/g;

/** The types that statements return for columns of PostgreSQL's types. Any type of JSON is right, and a text may be one of a few. */
const RETURNED: Readonly<Record<string, RegExp>> = {
  text: /^(?!number$|boolean$|Buffer$|object$)/,
  uuid: /^string$/,
  numeric: /^string$/,
  timestamptz: /^string$/,
  bool: /^boolean$/,
  int2: /^number$/,
  int4: /^number$/,
  int8: /^number$/,
  float8: /^number$/,
  bytea: /^(?:Buffer|Uint8Array)$/,
  _text: /^readonly (?!number\[\]$).*\[\]$/,
  json: /^/,
  jsonb: /^/,
};

type Columns = Readonly<Record<string, string>>;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

/** Returns the declarations of a kind, each with its table and the types of its fields. */
function declarations(kind: RegExp, texts: readonly string[]): (readonly [table: string, fields: Columns])[] {
  return texts
    .flatMap((text) => [...text.matchAll(kind)])
    .map(({ groups: { table = '', fields = '' } = {} }) => [table, fieldsIn(fields)] as const);
}

function fieldsIn(text: string): Columns {
  return Object.fromEntries([...text.matchAll(FIELD)].map(({ groups: { name = '', type = '' } = {} }) => [name, type]));
}

/** Returns the columns whose types are written at the statements of a file. */
function namedIn(text: string): string[] {
  const results = [...text.matchAll(RESULT)].map(({ groups: { result = '' } = {} }) => result);
  return results.flatMap((result) => [...result.matchAll(/(?<name>\w+)\??:/g)].map(({ groups: { name = '' } = {} }) => name));
}

/** Returns how the fields differ from the columns of their table. */
function differences(columns: readonly Column[], fields: Columns): string[] {
  const unknown = Object.keys(fields).filter((name) => !columns.some((column) => column.name === name));
  const wrong = columns.filter(({ name, type, nullable }) => {
    const field = fields[name] ?? '';
    return field.endsWith(' | null') !== nullable || !RETURNED[type]?.test(field.replace(/ \| null$/, ''));
  });
  return [
    ...unknown.map((name) => `${name} is no column`),
    ...wrong.map(({ name, type, nullable }) => `${name}: ${type}${nullable ? ' | null' : ''}`),
  ];
}

describe('the row of an operational table', () => {
  let database: TestDatabase;
  let columns: Column[];

  beforeAll(async () => {
    database = await createMigratedDatabase();
    const pool = testPool(database.url, 1);
    const { rows } = await pool.query<Column>(
      `select table_schema || '.' || table_name as table, column_name as name, udt_name as type, is_nullable = 'YES' as nullable
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where table_schema in ('ops', 'key_store') and table_type = 'BASE TABLE' order by 1, ordinal_position`,
    );
    await pool.end();
    columns = rows;
  });
  afterAll(() => database.drop());

  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'projections'], { encoding: 'utf8' }).split('\n');
  const files = listed.filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|migrations\.ts$/.test(file) && existsSync(file));
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const of = (table: string): Column[] => columns.filter((column) => column.table === table);

  it('is declared once, with exactly its columns and their types', () => {
    const rows = declarations(ROW, texts);
    expect(rows.flatMap(([table, fields]) => differences(of(table), fields).map((found) => `${table}: ${found}`))).toStrictEqual([]);
    const tables = new Set(columns.map(({ table }) => table));
    const declared = [...rows, ...declarations(PART, texts)].map(([table]) => table);
    expect([...tables].filter((table) => !declared.includes(table))).toStrictEqual(UNDECLARED);
    expect(new Set(rows.map(([table]) => table)).size).toBe(rows.length);
  });

  it('has the columns and the types that statements of other modules join', () => {
    const found = declarations(PART, texts).map(([table, fields]) => {
      const needed = of(table).filter(({ name }) => name in fields);
      return [table, differences(needed, fields)] as const;
    });
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(([, differing]) => differing.length > 0)).toStrictEqual([]);
  });

  it('is the type of every column that a statement returns', () => {
    const found = files.filter((_, index) => {
      const text = texts[index] ?? '';
      const tables = new Set(text.match(TABLE));
      const own = columns.filter(({ table }) => tables.has(table)).map(({ name }) => name);
      return namedIn(text).some((name) => own.includes(name));
    });
    expect(found).toStrictEqual([]);
    expect(namedIn('query<{ readonly a: string; b?: number } & Pick<Row, "c">>({')).toStrictEqual(['a', 'b']);
  });

  it('is reported if it differs', () => {
    const [column] = of('ops.webhook_health');
    expect(column).toMatchObject({ name: 'endpoint_id', type: 'int8' });
    expect(differences(of('ops.webhook_health'), { endpoint_id: 'string', failing: 'string' })).toStrictEqual([
      'failing is no column',
      'endpoint_id: int8',
      'failing_since: timestamptz',
    ]);
    expect(differences(of('ops.webhook_health'), { endpoint_id: 'number', failing_since: 'string | null' })).toStrictEqual([
      'failing_since: timestamptz',
    ]);
  });
});
