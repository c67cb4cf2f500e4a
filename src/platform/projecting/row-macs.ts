import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type EntitySchema } from '@mikro-orm/core';
import { canonicalize } from 'json-canonicalize';
import { type Column, columnsOf, primaryOf } from '../database/schema.js';
import { storableJson, storableText } from '../database/postgres-text.js';
import { type MasterKeys } from '../key-store/master-keys.js';
import { type Authenticated } from './projection.js';

/** The MAC of a row that derives from a forged one: it holds under no key, so the row stays unused until its read model is rebuilt. */
const VOID = '';
const KEY_LABEL = 'rupa row mac';
const KEY_BYTES = 32;
/** The schema of the read models. The definition of an operational table names its own. */
const READ = 'read';
const OWN: readonly string[] = ['event_revision', 'mac'] satisfies readonly (keyof Authenticated)[];

/**
 * @param key values of the row's primary key, as a JSON array
 * @param isRecorded whether the row was found in the table of forged rows
 */
export type ForgedRowListener = (table: string, key: string, isRecorded: boolean) => void;

/** A row that decides was not written by this service. The call that needs it is refused. */
export class RowForged extends Error {
  override name = 'RowForged';
  /** The read model that the row is of; undefined for a row of an operational table. */
  readonly readModel: string | undefined;

  constructor(
    readonly table: string,
    schema = READ,
  ) {
    const remedy = schema === READ ? `to rebuild it: rupa projections rebuild ${table}` : 'to mend it: rupa doctor';
    super(`This call needs a row of ${table} that cannot be trusted. An operator has ${remedy}`);
    this.readModel = schema === READ ? table : undefined;
  }
}

/** The MAC of a row, and the revision that rows of read models have, too. */
type Signed = Pick<Authenticated, 'mac'> & Partial<Pick<Authenticated, 'event_revision'>>;

interface Shape {
  readonly table: string;
  /** The columns that the MAC covers, in the order of canonical JSON. */
  readonly columns: readonly Column[];
}

const shapes = new WeakMap<EntitySchema, Shape>();

function shapeOf(table: EntitySchema): Shape {
  let shape = shapes.get(table);
  if (!shape) {
    const columns = columnsOf(table).filter(({ name }) => !OWN.includes(name));
    shape = { table: table.meta.tableName, columns: columns.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
    shapes.set(table, shape);
  }
  return shape;
}

/** Computes and checks the MACs of rows that decide, under a key derived from each master key (evidence, "Where a table decides"). */
export class RowMacs {
  private readonly keys = new Map<string, KeyObject>();
  private readonly listeners: ForgedRowListener[] = [];

  constructor(private readonly masterKeys: Pick<MasterKeys, 'current' | 'ids' | 'has' | 'derive'>) {}

  /**
   * Id of the master key under which rows get their MACs. A rotation may have changed it, and the old key may be removed soon, so it is read
   * again each time.
   */
  get currentKeyId(): string {
    return this.masterKeys.current();
  }

  /** Returns the rows with their MACs, all under one master key. A row that derives from a forged one gets none that holds. */
  authenticate<R extends object>(table: EntitySchema, rows: readonly R[]): (R & Pick<Authenticated, 'mac'>)[] {
    const [id, shape] = [this.currentKeyId, shapeOf(table)];
    return rows.map((row) => {
      const known = row as R & Signed;
      return known.mac === VOID ? known : { ...known, mac: this.macUnder(id, textOf(shape, known)) };
    });
  }

  /** Returns the MAC of a text, for rows of tables that are no read models. The text begins with the table's name. */
  macOf(text: string): string {
    return this.macUnder(this.currentKeyId, text);
  }

  /** Returns a text's MAC under the current master key in hexadecimal digits, as a fingerprint that only this service can compute. */
  digestOf(text: string): string {
    return this.hmac(this.currentKeyId, text).toString('hex');
  }

  /** Returns what {@link digestOf} returned of a text while another of the master keys was the current one. */
  formerDigestsOf(text: string): readonly string[] {
    const current = this.currentKeyId;
    return this.masterKeys.ids.filter((id) => id !== current).map((id) => this.hmac(id, text).toString('hex'));
  }

  /** Returns whether a text has this MAC, under any of the master keys. */
  isMacOf(text: string, mac: string): boolean {
    const [id = '', hmac = ''] = mac.split(':', 2);
    return this.masterKeys.has(id) && equal(Buffer.from(hmac, 'base64'), this.hmac(id, text));
  }

  /** Returns the row without its MAC, to be changed; one whose MAC does not hold stays without one that does. */
  loaded<R extends object>(table: EntitySchema, row: R): R {
    const { mac: _mac, ...content } = row as R & Authenticated;
    return (this.holds(table, row as R & Authenticated) ? content : { ...content, mac: VOID }) as unknown as R;
  }

  /** Returns whether {@link loaded} has found that the row's MAC does not hold. */
  isVoid(row: object): boolean {
    return (row as Partial<Authenticated>).mac === VOID;
  }

  /** Returns a row that derives from one whose MAC does not hold. It gets none that holds. */
  voided<R extends object>(row: R): R {
    return { ...row, mac: VOID };
  }

  /** Returns whether this service wrote the row. The times and texts of JSON columns may have the forms in which statements return them. */
  holds(table: EntitySchema, row: Signed): boolean {
    const isGenuine = this.isMacOf(textOf(shapeOf(table), row), row.mac);
    if (!isGenuine) this.note(table, row);
    return isGenuine;
  }

  /** Calls `listener` for each row that is found not to be the projector's, as often as it is found. */
  onForged(listener: ForgedRowListener): void {
    this.listeners.push(listener);
  }

  /** Tells the listeners of a row that cannot be trusted, also for another reason than its MAC. */
  note(table: EntitySchema, row: object): void {
    const values = row as Readonly<Record<string, unknown>>;
    // A row that was read as JSON has numbers where statements return text.
    const key = primaryOf(table).map(({ name, type }) => (type.startsWith('numeric') ? String(values[name]) : values[name]));
    this.noteRow(table.meta.tableName, key);
  }

  /** Tells the listeners of a row of any table. @param key values of its primary key */
  noteRow(table: string, key: readonly unknown[], isRecorded = false): void {
    for (const listener of this.listeners) listener(table, JSON.stringify(key), isRecorded);
  }

  /** Returns the row. @throws RowForged if this service did not write it */
  genuine<R extends Signed>(table: EntitySchema, row: R): R {
    if (!this.holds(table, row)) throw new RowForged(table.meta.tableName, schemaOf(table));
    return row;
  }

  private macUnder(id: string, text: string): string {
    return `${id}:${this.hmac(id, text).toString('base64')}`;
  }

  private hmac(id: string, text: string): Buffer {
    let key = this.keys.get(id);
    if (!key) {
      key = this.masterKeys.derive(id, (master) => createSecretKey(Buffer.from(hkdfSync('sha256', master, '', KEY_LABEL, KEY_BYTES))));
      this.keys.set(id, key);
    }
    return createHmac('sha256', key).update(text).digest();
  }
}

/** Returns the schema that has the table of rows with MACs. */
export function schemaOf({ meta }: EntitySchema): string {
  return meta.schema ?? READ;
}

function equal(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Returns what the MAC covers: the table's name, the revision of the last event and the row in canonical JSON, on three lines. */
function textOf({ table, columns }: Shape, row: Signed): string {
  const values = row as unknown as Readonly<Record<string, unknown>>;
  let text = `${table}\n${row.event_revision ?? ''}\n`;
  for (const [index, { name, type }] of columns.entries())
    text += `${index === 0 ? '{' : ','}"${name}":${canonicalValue(values[name] ?? null, type)}`;
  return `${text}}`;
}

/** The form in which the service writes times. Years beyond four digits are written by `toISOString` alone. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A value that was written and one that was read of the same column differ in form; both have the same canonical text. */
function canonicalValue(value: unknown, type: string): string {
  if (value === null || typeof value === 'boolean') return JSON.stringify(value);
  // Positions are read as text, but as numbers in a row that was read as JSON.
  if (typeof value === 'number') return type.startsWith('numeric') ? `"${value}"` : JSON.stringify(value);
  switch (type) {
    case 'timestamptz':
      return ISO_TIME.test(value as string) ? `"${value as string}"` : JSON.stringify(new Date(value as string).toISOString());
    case 'jsonb':
      return canonicalize(JSON.parse(storableJson(value)));
    case 'json':
      // PostgreSQL keeps the text, which is JSON. No such column holds a JSON string, so a string is that text.
      return typeof value === 'string' ? value : storableJson(value);
    default:
      return JSON.stringify(storableText(value as string));
  }
}
