import { describe, expect, it } from '@jest/globals';
import { defineEntity } from '@mikro-orm/core';
import fc from 'fast-check';
import { authenticatedColumns, column } from '../../../projections/columns.js';
import { storableJson } from '../database/postgres-text.js';
import { MasterKeys } from '../key-store/master-keys.js';
import { type Authenticated } from './projection.js';
import { RowForged, RowMacs } from './row-macs.js';

const table = (name: string) =>
  defineEntity({
    name,
    tableName: name,
    properties: {
      id: column.text().primary(),
      amount: column.integer(),
      position: column.position(),
      is_open: column.boolean(),
      at: column.time().nullable(),
      list: column.json<unknown>(),
      text: column.document<unknown>().nullable(),
      ...authenticatedColumns,
    },
  });
const [accounts, others] = [table('account'), table('other')];

const key = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const macsOf = (...keys: string[]): RowMacs => new RowMacs(MasterKeys.parse(keys.join(',')));
const macs = macsOf(key('k1', 1));
const written = <R extends object>(row: R): R & Authenticated => macs.authenticate(accounts, [row])[0] as R & Authenticated;

const ACCOUNT = { id: 'a', amount: 1, position: '1', is_open: true, at: null, list: {}, text: null, event_revision: '0' };

type Value = string | number | boolean | null | object;
type Content = Readonly<Record<string, Value>>;

const anyObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean()));
const anyRow: fc.Arbitrary<Content> = fc.record({
  id: fc.string({ unit: 'binary' }),
  amount: fc.maxSafeInteger(),
  position: fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }).map(String),
  is_open: fc.boolean(),
  at: fc.option(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9000-01-01') }).map((at) => at.toISOString())),
  list: anyObject,
  text: fc.option(anyObject),
  event_revision: fc.nat().map(String),
});

/** The forms in which statements return the same row: JSON columns as text or parsed, keys of jsonb in another order, a whole row as JSON. */
const read = (row: Content & Authenticated, form: 'columns' | 'text' | 'json'): Content & Authenticated => {
  const list = Object.fromEntries(Object.entries(row.list as object).reverse());
  if (form === 'columns') return { ...row, list };
  if (form === 'text') return { ...row, list, text: row.text === null ? null : storableJson(row.text) };
  const at = (row.at as string | null)?.replace('Z', '+00:00') ?? null;
  return { ...row, list, at, position: Number(row.position), event_revision: Number(row.event_revision) } as unknown as Content &
    Authenticated;
};

describe('the MAC of a row', () => {
  it('holds in every form in which a statement returns the row', () => {
    fc.assert(
      fc.property(anyRow, fc.constantFrom('columns', 'text', 'json'), (row, form) => {
        const own = written(row);
        expect(macs.holds(accounts, read(own, form))).toBe(true);
      }),
    );
  });

  it('does not hold for another value of any column, another revision, another table or the MAC of another row', () => {
    fc.assert(
      fc.property(anyRow, anyRow, (row, other) => {
        const own = written(row);
        expect(macs.holds(others, own)).toBe(false);
        for (const name of Object.keys(row).filter((each) => JSON.stringify(row[each]) !== JSON.stringify(other[each]))) {
          const edited = { ...own, [name]: other[name] };
          // Texts that PostgreSQL cannot store are equal once they are stored.
          if (written(edited).mac !== own.mac) expect(macs.holds(accounts, edited)).toBe(false);
        }
        const foreign = written(other).mac;
        if (foreign !== own.mac) expect(macs.holds(accounts, { ...own, mac: foreign })).toBe(false);
      }),
    );
  });

  it.each(['', 'k1', 'k1:', 'k1:AAAA', 'k9:AAAA', ':', 'k1:x:y'])('%j does not hold', (mac) => {
    const forged: [string, string][] = [];
    const watched = macsOf(key('k1', 1));
    watched.onForged((name, found) => forged.push([name, found]));
    const row = { ...ACCOUNT, mac };
    expect(watched.holds(accounts, row)).toBe(false);
    expect(() => watched.genuine(accounts, row)).toThrow(RowForged);
    expect(forged).toStrictEqual([
      ['account', '["a"]'],
      ['account', '["a"]'],
    ]);
  });

  it('holds after a new master key, until the old one is removed', () => {
    const row = written(ACCOUNT);
    expect(macsOf(key('k2', 2), key('k1', 1)).holds(accounts, row)).toBe(true);
    expect(macsOf(key('k2', 2)).holds(accounts, row)).toBe(false);
    expect(macsOf(key('k1', 3)).holds(accounts, row)).toBe(false);
  });

  it('is never made from a row whose own did not hold', () => {
    const row = written(ACCOUNT);
    const next = written({ ...macs.loaded(accounts, { ...row, amount: 2 }), is_open: false, event_revision: '1' });
    expect(macs.holds(accounts, next)).toBe(false);
    const genuine = written({ ...macs.loaded(accounts, row), is_open: false, event_revision: '1' });
    expect(macs.holds(accounts, genuine)).toBe(true);
  });
});
