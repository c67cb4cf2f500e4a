import { type Info, parse } from 'csv-parse/sync';
import { bankAmount } from '../domain/bank-amount.js';
import { bankDate, dateOrder, type DateOrder, MixedDateOrders, needsOrder } from '../domain/bank-dates.js';
import { type BankPayment } from '../domain/reconcile.js';

export const BANK_FIELDS = ['reference', 'amount', 'date'] as const;
export type BankField = (typeof BANK_FIELDS)[number];
/** The file's column of each field. */
export type ColumnMap = Readonly<Record<BankField, string>>;

/** The file cannot be read. The message is a sentence that names the line. */
export class UnreadableBankFile extends Error {
  override name = 'UnreadableBankFile';
}

export interface BankFile {
  readonly payments: readonly BankPayment[];
  /** Lines that are no payments received: without an amount, of 0, or of money that went out. */
  readonly skipped: number;
  /** How dates such as 03/04/2026 were read; null if the file has none. */
  readonly date_order: DateOrder | null;
}

interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

const DELIMITERS = [',', ';', '\t', '|'];
/** Lines in which the header is searched for: banks put the account and the period above it. */
const HEADER_WITHIN = 30;

/** Reads the payments that a bank lists as CSV. @throws UnreadableBankFile */
export function readBankFile(bytes: Uint8Array, map: ColumnMap): BankFile {
  const text = decoded(bytes);
  const candidates = DELIMITERS.map((delimiter) => withHeader(text, delimiter, map));
  const found = candidates.find((candidate) => candidate !== undefined);
  if (!found) throw new UnreadableBankFile(noHeader(text, map));
  const { lines, columns, width } = found;
  for (const { line, cells } of lines) {
    const extra = cells.slice(width).some((cell) => cell.trim() !== '');
    if (cells.length < width || extra)
      throw new UnreadableBankFile(`Line ${line} has ${cells.length} fields, and the header has ${width}.`);
  }
  return payments(lines, columns);
}

function payments(lines: readonly Line[], columns: Readonly<Record<BankField, number>>): BankFile {
  const cell = ({ cells }: Line, field: BankField): string => (cells[columns[field]] ?? '').trim();
  const unreadable = (line: Line, field: BankField): UnreadableBankFile =>
    new UnreadableBankFile(`Line ${line.line}: the ${field} ${JSON.stringify(cell(line, field))} cannot be read.`);
  const withAmount = lines.filter((line) => cell(line, 'amount') !== '');
  const received = withAmount.filter((line) => {
    const amount = bankAmount(cell(line, 'amount'));
    if (amount === undefined) throw unreadable(line, 'amount');
    return amount > 0;
  });
  const dates = received.map((line) => cell(line, 'date'));
  const order = orderOf(dates, received);
  return {
    payments: received.map((line) => {
      const date = bankDate(cell(line, 'date'), order.order);
      if (date === undefined) throw unreadable(line, 'date');
      const reference = cell(line, 'reference');
      if (reference === '') throw new UnreadableBankFile(`Line ${line.line}: the payment has no reference.`);
      return { line: line.line, reference, amount_kobo: bankAmount(cell(line, 'amount')) ?? 0, date };
    }),
    skipped: lines.length - received.length,
    date_order: dates.some(needsOrder) ? order : null,
  };
}

function orderOf(dates: readonly string[], lines: readonly Line[]): DateOrder {
  try {
    return dateOrder(dates);
  } catch (error) {
    if (!(error instanceof MixedDateOrders)) throw error;
    const [first, second] = [error.dayFirst, error.monthFirst];
    throw new UnreadableBankFile(
      `Line ${lines[first]?.line ?? 0} has the day first (${dates[first] ?? ''}), and line ${lines[second]?.line ?? 0} the month (${dates[second] ?? ''}).`,
    );
  }
}

/** Returns the lines below the header; undefined if no line holds every column under this delimiter. @throws UnreadableBankFile */
function withHeader(
  text: string,
  delimiter: string,
  map: ColumnMap,
): { readonly lines: Line[]; readonly columns: Record<BankField, number>; readonly width: number } | undefined {
  const rows = records(text, delimiter);
  if (rows instanceof Error) {
    // Another delimiter may be the right one, but a file whose header is found has a fault of its own.
    if (text.split('\n', HEADER_WITHIN).some((line) => columnsOf(line.split(delimiter).map(unquoted), map))) throw rows;
    return undefined;
  }
  const at = rows.slice(0, HEADER_WITHIN).findIndex(({ cells }) => columnsOf(cells, map) !== undefined);
  const header = rows[at];
  const columns = header && columnsOf(header.cells, map);
  if (!columns) return undefined;
  const width = header.cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  return { lines: rows.slice(at + 1).filter(({ cells }) => cells.some((cell) => cell.trim() !== '')), columns, width };
}

function records(text: string, delimiter: string): Line[] | UnreadableBankFile {
  try {
    const options = { delimiter, info: true, relax_column_count: true, relax_quotes: true, record_delimiter: ['\r\n', '\n', '\r'] };
    const found = parse(text, options) as unknown as { readonly record: string[]; readonly info: Info }[];
    let end = 0;
    return found.map(({ record, info }) => {
      const line = end + 1;
      end = info.lines;
      return { line, cells: record };
    });
  } catch (error) {
    const { lines } = error as { readonly lines?: number };
    return new UnreadableBankFile(`Line ${lines ?? '?'} is not valid CSV: ${(error as Error).message}.`);
  }
}

const unquoted = (cell: string): string => cell.trim().replaceAll(/^"|"$/g, '');
const nameKey = (name: string): string => name.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** Returns the position of each column; undefined if one is missing or appears twice. */
function columnsOf(cells: readonly string[], map: ColumnMap): Record<BankField, number> | undefined {
  const names = cells.map(nameKey);
  const positions = BANK_FIELDS.map(
    (field) => [field, names.indexOf(nameKey(map[field])), names.lastIndexOf(nameKey(map[field]))] as const,
  );
  if (positions.some(([, first, last]) => first < 0 || first !== last)) return undefined;
  return Object.fromEntries(positions.map(([field, first]) => [field, first])) as Record<BankField, number>;
}

function noHeader(text: string, map: ColumnMap): string {
  const [first = ''] = text.split(/\r\n|\n|\r/, 1);
  const columns = BANK_FIELDS.map((field) => JSON.stringify(map[field])).join(', ');
  return `No line among the first ${HEADER_WITHIN} has each of the columns ${columns} once. Line 1 is ${JSON.stringify(first.slice(0, 200))}.`;
}

function decoded(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableBankFile(`Line ${firstBadLine(bytes)} is not UTF-8. Save the file as CSV in UTF-8.`);
  }
}

function firstBadLine(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  const isUtf8 = (line: string): boolean => {
    const raw = Buffer.from(line, 'latin1');
    return raw.toString('utf8') !== '' ? Buffer.from(raw.toString('utf8')).equals(raw) : raw.length === 0;
  };
  return lines.findIndex((line) => !isUtf8(line)) + 1;
}
