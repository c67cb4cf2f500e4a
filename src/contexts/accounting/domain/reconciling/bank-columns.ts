import { bankAmount } from './bank-amount.js';
import { bankDate, dateOrder } from './bank-dates.js';

/** A row of a bank's file before its cells are understood. */
export interface TableRow {
  /** Line of the text, or row of the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A text, or one sheet of a workbook. */
export interface Table {
  /** Null for a text. */
  readonly sheet: string | null;
  readonly rows: readonly TableRow[];
}

/** Rows of a file, those above the header included. */
export const MAX_ROWS = 50_000;

/** A bank's file cannot be read. The message is a sentence that says why, and what to do. */
export class UnreadableBankFile extends Error {
  override name = 'UnreadableBankFile';
}

/** Names of the columns of a bank's file: one with signed amounts, or one for money in and perhaps one for money out. */
export interface BankColumns {
  readonly date: string;
  /** The column in whose text references are searched for, such as the narration. */
  readonly reference: string;
  readonly amount?: string | undefined;
  readonly credit?: string | undefined;
  readonly debit?: string | undefined;
}

export const COLUMN_FIELDS = ['date', 'reference', 'amount', 'credit', 'debit'] as const satisfies readonly (keyof BankColumns)[];
export type ColumnField = (typeof COLUMN_FIELDS)[number];

export interface Header {
  /** Index of the header's row. */
  readonly at: number;
  readonly names: readonly string[];
  readonly positions: Readonly<Partial<Record<ColumnField, number>>>;
}

/** Rows in which the header is searched for: banks put the account, its holder and the period above it. */
export const HEADER_WITHIN = 60;
/** Rows below the header by which columns are guessed. */
const LOOKED_AT = 30;
/** Rows of a table by which the columns are guessed and shown. */
export const BEGINNING_ROWS = HEADER_WITHIN + LOOKED_AT;

const KNOWN = {
  date: /\bdate\b/,
  firstDate: /^(?:trans\w*|txn|tran|posting|posted|post|entry)?\.? ?date$/,
  narration: /narrat|descri|particular|remark|detail|memo/,
  reference: /\bref(?:erence)?\b|\binstrument\b/,
  credit: /credit|deposit|lodg|inflow|(?:money|paid|pay) ?-?in\b|^cr\b/,
  debit: /debit|withdraw|outflow|(?:money|paid|pay) ?-?out\b|^dr\b/,
  amount: /amount|^value$|\bsum\b/,
  balance: /balance/,
} as const;

/** Returns the first row that has each of the columns once; undefined if none does. */
export function findHeader(rows: readonly TableRow[], columns: BankColumns): Header | undefined {
  const wanted = COLUMN_FIELDS.flatMap((field) => (columns[field] ? [[field, nameKey(columns[field])] as const] : []));
  for (const [at, { cells }] of rows.slice(0, HEADER_WITHIN).entries()) {
    const keys = cells.map(nameKey);
    const positions = wanted.map(([field, key]) => [field, keys.indexOf(key), keys.lastIndexOf(key)] as const);
    if (positions.every(([, first, last]) => first >= 0 && first === last))
      return { at, names: namesOf(cells), positions: Object.fromEntries(positions.map(([field, first]) => [field, first])) };
  }
  return undefined;
}

/** Returns the row that looks most like a header: that with the most names of columns as banks have them. */
export function likelyHeader(
  rows: readonly TableRow[],
): { readonly at: number; readonly names: readonly string[]; readonly score: number } | undefined {
  const scored = rows.slice(0, HEADER_WITHIN).map(({ cells }, at) => ({ at, names: namesOf(cells), score: headerScore(cells) }));
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (found, each) => (found && found.score >= each.score ? found : each),
    undefined,
  );
  return best && best.score > 0 ? best : undefined;
}

/** Guesses the columns by their names and, for names that say nothing, by what the first rows below the header contain. */
export function guessColumns(rows: readonly TableRow[], header: { readonly at: number }): Partial<BankColumns> {
  const names = (rows[header.at]?.cells ?? []).map((name) => name.trim());
  const below = rows.slice(header.at + 1, header.at + 1 + LOOKED_AT);
  const named = (pattern: RegExp): number => names.findIndex((name) => pattern.test(nameKey(name)) && !nameKey(name).includes('balance'));
  const shares = names.map((_name, column) => shareOf(below.map(({ cells }) => (cells[column] ?? '').trim())));
  const most = (share: (of: Share) => number, among: (column: number) => boolean = () => true): number => {
    const best = shares.reduce(
      (found, each, column) => (among(column) && share(each) > (found < 0 ? 0 : share(shares[found] ?? NONE)) ? column : found),
      -1,
    );
    return best;
  };
  const date = firstOf(
    named(KNOWN.firstDate),
    named(KNOWN.date),
    most(({ dates }) => dates),
  );
  const [credit, debit] = [named(KNOWN.credit), named(KNOWN.debit)];
  const isFree = (column: number): boolean => ![date, credit, debit].includes(column) && !nameKey(names[column] ?? '').includes('balance');
  const amount =
    credit >= 0
      ? -1
      : firstOf(
          named(KNOWN.amount),
          most(({ amounts }) => amounts, isFree),
        );
  const text = most(
    ({ characters }) => characters,
    (column) => isFree(column) && column !== amount,
  );
  const reference = firstOf(named(KNOWN.narration), named(KNOWN.reference), text);
  const chosen = { date, reference, amount, credit, debit: credit >= 0 ? debit : -1 };
  return Object.fromEntries(Object.entries(chosen).flatMap(([field, column]) => (names[column] ? [[field, names[column]]] : [])));
}

interface Share {
  /** Parts of the cells, from 0 to 1, that are dates and amounts. */
  readonly dates: number;
  readonly amounts: number;
  /** Average length of the cells that are neither. */
  readonly characters: number;
}
const NONE: Share = { dates: 0, amounts: 0, characters: 0 };

function shareOf(cells: readonly string[]): Share {
  const { order } = dateOrder(cells);
  const dates = cells.filter((cell) => bankDate(cell, order) !== undefined);
  const amounts = cells.filter((cell) => bankAmount(cell) !== undefined && bankDate(cell, order) === undefined);
  const texts = cells.filter((cell) => bankAmount(cell) === undefined && bankDate(cell, order) === undefined);
  const all = Math.max(1, cells.length);
  return { dates: dates.length / all, amounts: amounts.length / all, characters: texts.reduce((sum, { length }) => sum + length, 0) / all };
}

function firstOf(...columns: readonly number[]): number {
  return columns.find((column) => column >= 0) ?? -1;
}

function headerScore(cells: readonly string[]): number {
  const keys = cells.map(nameKey).filter((key) => key !== '' && key.length <= 40 && bankAmount(key) === undefined);
  const known = keys.filter((key) => Object.values(KNOWN).some((pattern) => pattern.test(key))).length;
  // A row of one cell is a title or a line of the preamble, whatever it says.
  return keys.length < 2 ? 0 : known * 100 + keys.length;
}

function namesOf(cells: readonly string[]): string[] {
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
}

/** Returns a column's name in the form in which names are compared: without case, and with single spaces. */
export function nameKey(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
