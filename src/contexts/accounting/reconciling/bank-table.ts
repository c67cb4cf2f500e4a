import { type Info, parse } from 'csv-parse/sync';
import {
  HEADER_WITHIN,
  likelyHeader,
  MAX_ROWS,
  type Table,
  type TableRow,
  UnreadableBankFile,
} from '../domain/reconciling/bank-columns.js';

const SEPARATORS = [',', ';', '\t', '|'];
/** Bytes by which the encoding and the separator are told. */
const LOOKED_AT = 64 * 1024;
const REFUSED: readonly (readonly [begins: readonly number[], says: string])[] = [
  [[0xd0, 0xcf, 0x11, 0xe0], 'The file is an old Excel workbook (.xls). Save it as .xlsx or CSV.'],
  [[0x25, 0x50, 0x44, 0x46], 'The file is a PDF. Ask the bank for an export as CSV or Excel.'],
];

/**
 * Reads a bank's file, whatever its encoding and separator: a text is one table, a workbook one for each sheet.
 * @throws UnreadableBankFile
 */
export async function readTables(bytes: Uint8Array): Promise<Table[]> {
  const refused = REFUSED.find(([begins]) => begins.every((byte, at) => bytes[at] === byte));
  if (refused) throw new UnreadableBankFile(refused[1]);
  // The library for workbooks is loaded with the first of them.
  const workbook = await import('./workbook.js');
  const tables = workbook.isWorkbook(bytes) ? await workbook.readWorkbook(bytes) : [textTable(decoded(bytes))];
  if (tables.some(({ rows }) => rows.length > MAX_ROWS))
    throw new UnreadableBankFile(`The file has more than ${MAX_ROWS} rows. Send the file of a shorter period.`);
  return tables;
}

/** Decodes a text: UTF-16 by its byte order mark or its zero bytes, else UTF-8, else Windows-1252, which any bytes are. */
export function decoded(bytes: Uint8Array): string {
  const encoding = utf16Of(bytes);
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Every second byte of digits, separators and Latin letters in UTF-16 is zero. Other encodings have none.
  const zeros = [0, 0] as [even: number, odd: number];
  for (const [at, byte] of bytes.subarray(0, LOOKED_AT).entries()) if (byte === 0) zeros[at % 2 === 0 ? 0 : 1] += 1;
  const most = Math.min(bytes.length, LOOKED_AT) / 4;
  if (zeros[1] > most) return 'utf-16le';
  return zeros[0] > most ? 'utf-16be' : undefined;
}

/** Reads a text with the separator under which one of its first rows looks most like a header. */
function textTable(text: string): Table {
  const head = text.slice(0, LOOKED_AT);
  const beginning = text.length > LOOKED_AT ? head.slice(0, head.lastIndexOf('\n') + 1) : head;
  const ranked = SEPARATORS.map((separator) => ({
    separator,
    score: likelyHeader(rowsOf(beginning, separator, HEADER_WITHIN))?.score ?? 0,
  }));
  const { separator } = ranked.reduce((best, each) => (each.score > best.score ? each : best));
  return { sheet: null, rows: rowsOf(text, separator, MAX_ROWS + 1) };
}

/** A text whose quotes do not end is read without quotes. */
function rowsOf(text: string, separator: string, most: number): TableRow[] {
  try {
    return parsed(text, separator, most, '"');
  } catch {
    return parsed(text, separator, most, null);
  }
}

function parsed(text: string, delimiter: string, to: number, quote: '"' | null): TableRow[] {
  const shape = { delimiter, quote, to, info: true, bom: true, relax_column_count: true, relax_quotes: true };
  const found = parse(text, { ...shape, record_delimiter: ['\r\n', '\n', '\r'] }) as unknown as {
    readonly record: string[];
    readonly info: Info;
  }[];
  let end = 0;
  return found.map(({ record, info }) => {
    const line = end + 1;
    end = info.lines;
    return { line, cells: record };
  });
}
