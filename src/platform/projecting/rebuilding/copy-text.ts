import { isStorableText } from '../../../kernel/storable.js';
import { type Column } from '../../database/schema.js';
import { storableJson, storableText } from '../../database/postgres-text.js';
import { type Row } from '../projection.js';

const NULL = '\\N';
/** Characters that the format requires to be escaped. */
const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns the rows in the text format of PostgreSQL's COPY, with the same values that json_populate_recordset would store for them. */
export function copyText(rows: readonly Row[], columns: readonly Column[]): string {
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
