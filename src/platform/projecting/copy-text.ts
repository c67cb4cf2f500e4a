import { type Column } from '../database/schema.js';
import { type Row } from './projection.js';

const NULL = '\\N';
/** Characters that the format requires to be escaped. */
const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns the row in the text format of PostgreSQL's COPY, with the same values that json_populate_recordset would store for it. */
export function copyLine(row: Row, columns: readonly Column[]): string {
  let line = '';
  for (const { name, type } of columns) {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    line += `${line === '' ? '' : '\t'}${value === null || value === undefined ? NULL : escaped(textOf(value, type))}`;
  }
  return `${line}\n`;
}

function textOf(value: unknown, type: string): string {
  if (typeof value !== 'string' || type === 'json' || type === 'jsonb') return JSON.stringify(value);
  // Encoding a lone surrogate as UTF-8 would replace it silently. The JSON of an upsert is refused by PostgreSQL, so COPY refuses, too.
  if (!value.isWellFormed()) throw new Error('The text holds half a surrogate pair, which PostgreSQL cannot store.');
  return value;
}

function escaped(text: string): string {
  return text.search(SPECIAL) < 0 ? text : text.replace(SPECIAL, (character) => ESCAPED[character] ?? character);
}
