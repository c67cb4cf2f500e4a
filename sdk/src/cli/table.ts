import { createReadStream } from 'node:fs';
import { type Report } from '../api-types.generated.js';
import { UsageError } from './terminal.js';

/**
 * Yields the rows of a CSV file (RFC 4180), which commas or, if the first line has none, semicolons separate. Empty lines are left out.
 * @throws UsageError if a quote is never closed: the cell would hold all rows that follow; or if the file is not UTF-8
 */
export async function* rowsOf(file: string): AsyncGenerator<readonly string[], void, undefined> {
  let [row, cell, isQuoted, wasQuote, separator]: [string[], string, boolean, boolean, string] = [[], '', false, false, ''];
  for await (const text of textOf(file)) {
    // The first part of a stream holds the first line of every file that is a table.
    if (separator === '') separator = separatorOf(text);
    for (const char of text) {
      if (isQuoted) {
        if (char !== '"') cell += char;
        else [isQuoted, wasQuote] = [false, true];
        continue;
      }
      if (char === '"' && (wasQuote || cell === '')) {
        if (wasQuote) cell += '"';
        [isQuoted, wasQuote] = [true, false];
        continue;
      }
      wasQuote = false;
      if (char !== separator && char !== '\n') cell += char;
      else {
        row.push(cell.trim());
        cell = '';
        if (char === separator) continue;
        if (row.some((each) => each !== '')) yield row;
        row = [];
      }
    }
  }
  if (isQuoted) throw new UsageError(`${file} has a quote that is never closed.`);
  row.push(cell.trim());
  if (row.some((each) => each !== '')) yield row;
}

function separatorOf(text: string): string {
  const [line = ''] = text.split('\n');
  return !line.includes(',') && line.includes(';') ? ';' : ',';
}

/**
 * Yields the Rupa IDs of a file: of the column `rupa_id` or, without one, of the only column.
 * @throws UsageError if there is no such column, or a line has no id
 */
export async function* idsIn(file: string): AsyncGenerator<string, void, undefined> {
  let [column, number] = [-1, 0];
  for await (const row of rowsOf(file)) {
    number += 1;
    if (column === -1) {
      const names = row.map((name) => name.toLowerCase());
      column = Math.max(0, names.indexOf('rupa_id'));
      if (names.includes('rupa_id')) continue;
      if (row.slice(1).some((cell) => cell !== ''))
        throw new UsageError(`${file} has several columns and none is named rupa_id. Name it in the first row, or leave the ids alone.`);
    }
    const id = row[column] ?? '';
    if (!/^[0-9A-Za-z-]{1,64}$/.test(id))
      throw new UsageError(
        `${file}: row ${number} has ${JSON.stringify(id)} where a Rupa ID of 1 to 64 letters, digits and hyphens must be.`,
      );
    yield id;
  }
}

const FIELDS = ['rupa_id', 'event', 'amount', 'currency', 'partner_reference', 'occurred_at', 'payload'];

/**
 * Yields the reports of a file: JSON lines if its name ends in .jsonl, otherwise CSV whose header names the fields. An empty cell is left out,
 * `payload` is JSON, and `payload.x` is a field of it. @throws UsageError for a line that cannot be read
 */
export async function* reportsIn(file: string): AsyncGenerator<Report, void, undefined> {
  if (/\.(jsonl|ndjson)$/i.test(file)) yield* jsonLinesIn(file);
  else yield* reportsInTable(file);
}

async function* jsonLinesIn(file: string): AsyncGenerator<Report, void, undefined> {
  let [rest, number] = ['', 0];
  const parsed = (line: string): Report[] => {
    number += 1;
    return line.trim() === '' ? [] : [parse(line, `${file}: line ${number}`) as Report];
  };
  for await (const text of textOf(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield* parsed(line);
  }
  yield* parsed(rest);
}

async function* reportsInTable(file: string): AsyncGenerator<Report, void, undefined> {
  let [names, number]: [readonly string[] | undefined, number] = [undefined, 0];
  for await (const row of rowsOf(file)) {
    number += 1;
    if (names) {
      // An amount of 1,500 without quotes would be reported as 1.
      if (row.slice(names.length).some((cell) => cell !== ''))
        throw new UsageError(
          `${file}: row ${number} has more cells than the first row has columns. Quote a cell that has a separator in it.`,
        );
      yield reportOf(names, row, `${file}: row ${number}`);
      continue;
    }
    names = row;
    const unknown = names.find((name) => !FIELDS.includes(name) && !name.startsWith('payload.'));
    if (unknown !== undefined || !names.includes('rupa_id'))
      throw new UsageError(
        `${file}: the first row must name the columns ${FIELDS.join(', ')} or payload.…${unknown === undefined ? '' : `, but has ${JSON.stringify(unknown)}`}.`,
      );
  }
}

function reportOf(names: readonly string[], row: readonly string[], place: string): Report {
  const report: Record<string, unknown> = {};
  const payload: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const cell = row[index] ?? '';
    if (cell === '') continue;
    if (name === 'payload') Object.assign(payload, parse(cell, `${place}: payload`));
    else if (name.startsWith('payload.')) payload[name.slice('payload.'.length)] = cell;
    // The service says what is wrong with an amount that is no number.
    else report[name] = name === 'amount' && /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  }
  return { ...report, ...(Object.keys(payload).length > 0 ? { payload } : {}) } as Report;
}

function parse(text: string, place: string): object {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The message of the parser would repeat what may be personal.
  }
  throw new UsageError(`${place} is not a JSON object.`);
}

/**
 * Yields the text of a file without a byte order mark.
 * @throws UsageError for bytes that are not UTF-8: replaced, two references would become one, and the second report would replace the first
 */
async function* textOf(file: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new UsageError(`${file} is not UTF-8. Save it as UTF-8, in Excel as “CSV UTF-8”.`);
    }
  };
  for await (const bytes of createReadStream(file)) yield decode(bytes as Buffer);
  yield decode();
}
