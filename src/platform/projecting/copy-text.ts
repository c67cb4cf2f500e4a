import { type Column } from '../database/schema.js';
import { type Row } from './projection.js';

const NOTHING = '\\N';
/** Stands for something else in the format. */
const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A row in the text format of PostgreSQL's COPY, with the values that json_populate_recordset would make of it. */
export function copyLine(row: Row, columns: readonly Column[]): string {
  let line = '';
  for (const { name, type } of columns) {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    line += `${line === '' ? '' : '\t'}${value === null || value === undefined ? NOTHING : escaped(textOf(value, type))}`;
  }
  return `${line}\n`;
}

function textOf(value: unknown, type: string): string {
  if (typeof value !== 'string' || type === 'json' || type === 'jsonb') return JSON.stringify(value);
  // UTF-8 would have another character in its place, where JSON is refused.
  if (!value.isWellFormed()) throw new Error('A text with half a surrogate pair cannot be stored.');
  return value;
}

function escaped(text: string): string {
  return text.search(SPECIAL) < 0 ? text : text.replace(SPECIAL, (character) => ESCAPED[character] ?? character);
}
