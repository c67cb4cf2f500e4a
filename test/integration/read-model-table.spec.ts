import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineEntity } from '@mikro-orm/core';
import fc from 'fast-check';
import pg from 'pg';
import { column } from '../../projections/columns.js';
import { projections } from '../../projections/index.js';
import { connectionConfig } from '../../src/platform/database/pool.js';
import { columnsOf } from '../../src/platform/database/schema.js';
import { type Key, type Projection, projection, type Row } from '../../src/platform/projecting/projection.js';
import { createTable, PREFER_KEY_LOOKUPS, ReadModelTable } from '../../src/platform/projecting/read-model-table.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { rowMacs } from '../support/row-macs.js';

const properties = {
  id: column.integer().primary(),
  text: column.text().nullable(),
  kobo: column.kobo().nullable(),
  position: column.position().nullable(),
  time: column.time().nullable(),
  flag: column.boolean().nullable(),
  json: column.json().nullable(),
  document: column.document().nullable(),
};
const kinds = projection<object, never>({
  name: 'kinds',
  version: 1,
  table: defineEntity({ name: 'kinds', tableName: 'kinds', properties }),
  handlers: {},
});

const text = fc.string({ unit: fc.constantFrom('\0', '\ud83c', '\udf3e', 'a', '\\', 'u0000', '🌾', '\u0001'), maxLength: 20 });
const special = fc.constantFrom('', '\\', '\\N', '\\.', '\t', '\n', '\r\n', '\\t', '"', "'", 'null', '{}', 'ẹ̀kọ́ 🌾');
const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), text, special);
const value = fc.oneof(
  texts,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(texts),
  fc.dictionary(texts, texts),
);
const nullable = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> => fc.oneof(some, fc.constantFrom(null, undefined));
const anyRow = fc.record({
  text: nullable(texts),
  kobo: nullable(fc.maxSafeInteger()),
  position: nullable(fc.bigInt({ min: 0n, max: 2n ** 63n }).map(String)),
  time: nullable(
    fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  flag: nullable(fc.boolean()),
  json: nullable(value),
  document: nullable(value),
});

describe('rows of a table', () => {
  it('are found by an index on their keys, even by statements that were planned while the table was empty', async () => {
    const database = await createTestDatabase();
    const client = new pg.Client(connectionConfig(database.url));
    await client.connect();
    try {
      const table = new ReadModelTable(kinds, 'public', rowMacs);
      await createTable(client, kinds, 'public');
      await client.query(`begin; ${PREFER_KEY_LOOKUPS}`);
      const readAndRemove = async (): Promise<void> => {
        await table.load(client, [{ id: 1 }, { id: 2 }]);
        await table.write(client, { added: [], upserts: [], deletions: [{ id: 3 }] });
      };
      // PostgreSQL reuses a generic plan from the sixth execution on.
      for (let time = 1; time <= 6; time += 1) await readAndRemove();
      await table.insert(
        client,
        Array.from({ length: 5_000 }, (_, id) => ({ id })),
      );
      await readAndRemove();
      const { rows } = await client.query<object>('select seq_tup_read, n_tup_del from pg_stat_xact_user_tables');
      expect(rows).toStrictEqual([{ seq_tup_read: 0, n_tup_del: 1 }]);
    } finally {
      await client.end();
      await database.drop();
    }
  });
});

/** As long as a partner's id and a farmer's: the longer a key is, the more PostgreSQL prefers an index that has less of it. */
const LONG_TEXT = 'x'.repeat(48);
const ROWS = { before: 300, after: 500 };

/** Returns the pairs of a read model and a column of its key, if the key has several columns. */
function partsOfKeys(): [name: string, part: string, model: Projection][] {
  return projections.flatMap((model) => {
    const key = columnsOf(model.table).filter(({ primary }) => primary);
    return key.length < 2 ? [] : key.map(({ name }): [string, string, Projection] => [model.name, name, model]);
  });
}

/** Returns rows that differ in one column of their key only. */
function rowsOf(model: Projection, part: string, count: number): Row[] {
  const values: Readonly<Record<string, unknown>> = {
    text: 'same',
    boolean: true,
    timestamptz: '2026-03-01T00:00:00Z',
    json: {},
    jsonb: {},
  };
  const columns = columnsOf(model.table);
  const same = Object.fromEntries(columns.map(({ name, type }) => [name, values[type] ?? 1]));
  const isText = columns.some(({ name, type }) => name === part && type === 'text');
  return Array.from({ length: count }, (_, index) => ({ ...same, [part]: isText ? `${index} ${LONG_TEXT}` : index }));
}

/** Returns how many rows of a table this session has read since its counts were last passed on. */
async function rowsRead(client: pg.Client, table: string): Promise<number> {
  const counts = await client.query<{ read: number }>(
    'select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = $1',
    [table],
  );
  return counts.rows[0]?.read ?? 0;
}

describe('rows of a read model', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  it.each(partsOfKeys())('are read one by one, %s also if they differ in %s only', async (name, part, model) => {
    const client = new pg.Client(connectionConfig(database.url));
    await client.connect();
    try {
      const table = new ReadModelTable(model, 'public', rowMacs);
      const primary = columnsOf(model.table).flatMap((column) => (column.primary ? [column.name] : []));
      await createTable(client, model, 'public');
      const rows = rowsOf(model, part, ROWS.before + ROWS.after);
      const keys = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => primary.includes(column)))) as Key[];
      // The plan is made while the table has few rows, and is reused.
      await table.insert(client, rows.slice(0, ROWS.before));
      await client.query(PREFER_KEY_LOOKUPS.replaceAll('local', 'session'));
      for (let time = 1; time <= 6; time += 1) await table.load(client, keys.slice(0, 1));
      await client.query('begin');
      await table.insert(client, rows.slice(ROWS.before));
      const before = await rowsRead(client, name);
      expect((await table.load(client, keys)).size).toBe(rows.length);
      expect((await rowsRead(client, name)) - before).toBe(rows.length);
    } finally {
      await client.end();
    }
  });
});

describe('rows that are inserted in bulk', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client(connectionConfig(database.url));
    await client.connect();
    for (const schema of ['added', 'written']) {
      await client.query(`create schema ${schema}`);
      await createTable(client, kinds, schema);
    }
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const stored = async (schema: string): Promise<unknown> =>
    (await client.query(`select t::text, json::text, document::text from ${schema}.kinds t order by id`)).rows;

  it('equal the rows that the projector would have written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 20 }), async (any) => {
        const rows = any.map((row, id) => ({ id, ...row }));
        await new ReadModelTable(kinds, 'added', rowMacs).insert(client, rows);
        await new ReadModelTable(kinds, 'written', rowMacs).write(client, { added: [], upserts: rows, deletions: [] });
        const [added, written] = [await stored('added'), await stored('written')];
        await client.query('truncate added.kinds, written.kinds');
        expect(added).toStrictEqual(written);
      }),
    );
  });

  it('hold U+FFFD in place of what PostgreSQL cannot store, like those that the projector writes', async () => {
    const half = 'half a pair: \ud83c';
    const row = { id: 1, text: `\0${half}`, json: { [half]: ['\0'] }, document: { '\0': half } };
    await new ReadModelTable(kinds, 'added', rowMacs).insert(client, [row]);
    await new ReadModelTable(kinds, 'written', rowMacs).write(client, { added: [], upserts: [row], deletions: [] });
    const replaced = 'half a pair: \ufffd';
    expect(await stored('added')).toStrictEqual(await stored('written'));
    expect((await client.query<object>('select text, json, document from added.kinds')).rows).toStrictEqual([
      { text: `\ufffd${replaced}`, json: { [replaced]: ['\ufffd'] }, document: expect.anything() },
    ]);
    await client.query('truncate added.kinds, written.kinds');
  });
});
