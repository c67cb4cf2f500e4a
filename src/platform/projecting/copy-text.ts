import { type Column } from '../database/schema.js';
import { storableJson, storableText } from '../database/postgres-text.js';
import { type Row } from './projection.js';

const NULL = '\\N';
/** Characters that the format requires to be escaped. */
const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns the row in the text format of PostgreSQL's COPY, with the same values that json_populate_recordset would store for it. */
export function copyLine(row: Row, columns: readonly Column[]): string {
  const values = columns.map(({ name, type }) => {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    return value === null || value === undefined ? NULL : escaped(textOf(value, type));
  });
  return `${values.join('\t')}\n`;
}

function textOf(value: unknown, type: string): string {
  if (typeof value !== 'string' || type === 'json' || type === 'jsonb') return storableJson(value);
  return storableText(value);
}

function escaped(text: string): string {
  return text.search(SPECIAL) < 0 ? text : text.replace(SPECIAL, (character) => ESCAPED[character] ?? character);
}
