import { bankAmount } from './bank-amount.js';
import { bankDate, dateOrder, type DateOrder, needsOrder } from './bank-dates.js';
import { type ColumnField, type Header, nameKey, type TableRow } from './bank-columns.js';

/** A movement of money in a bank's file. */
export interface BankRow {
  /** Line of the text, or row of the sheet, from 1. */
  readonly line: number;
  /** yyyy-mm-dd. */
  readonly date: string;
  /** Integer kobo; negative for money out. */
  readonly amount_kobo: number;
  readonly narration: string;
}

/** Why a row is no movement of money, or one whose amount cannot be told. */
export const UNUSED = ['no_amount', 'no_date', 'balance', 'total', 'header', 'too_many_cells'] as const;

/** A row that is compared with nothing. */
export interface UnusedRow extends Omit<BankRow, 'date' | 'amount_kobo'> {
  readonly date: string | null;
  /** Null for a row that moves no money, such as a total. */
  readonly amount_kobo: number | null;
  readonly why: (typeof UNUSED)[number];
}

export interface BankRows {
  readonly rows: readonly BankRow[];
  readonly unused: readonly UnusedRow[];
  /** How dates such as 03/04/2026 were read; null if the file has none. */
  readonly date_order: DateOrder | null;
}

/** Characters of a narration that are kept. Banks write up to some 200. */
const MAX_NARRATION = 1_000;

const KOBO = String.raw`(?:[:=-]*\s*(?:NGN|₦|N)?\s*-?[\d.,\s]*(?:CR|DR)?)`;
const BALANCE = new RegExp(
  String.raw`^(?:(?:opening|closing|available|ledger|current|final|cleared|book|statement|previous|net)\s+)*` +
    String.raw`(?:bal(?:ance)?\.?(?:\s+(?:[bc]\/?[fd](?:wd)?|(?:brought|carried)\s+(?:forward|down)|forward|as\s+(?:at|of|on)\b.*|on\s+\d.*))?|[bc]\/[fd]|(?:brought|carried)\s+forward)${KOBO}$`,
  'i',
);
const PERIOD = String.raw`for\s+(?:the\s+)?(?:period|month|page|day|year|account)\b.*`;
const TOTAL = new RegExp(
  String.raw`^(?:(?:sub|grand|page|overall|net|account|running)[\s-]*)?totals?(?:\s+(?:of|and|&|debits?|credits?|deposits?|withdrawals?|lodge?ments?|amounts?|transactions?|inflows?|outflows?|movements?|values?|counts?|page|no\.?|number|${PERIOD}))*${KOBO}$`,
  'i',
);

/**
 * Reads the rows below a header (finance, "Reconciliation"): a date, an amount and a narration each. Rows without date or amount, balances and
 * totals are returned with the reason why they are not used.
 * @param shifts whether a row with more cells than the header has its cells in the wrong columns, as text with an unquoted separator has
 */
export function bankRows(table: readonly TableRow[], { at, positions }: Header, shifts: boolean): BankRows {
  const header = table[at]?.cells ?? [];
  const width = header.findLastIndex((cell) => cell.trim() !== '') + 1;
  const isHeader = headerTest(header);
  const lines = table.slice(at + 1).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const cell = ({ cells }: TableRow, field: ColumnField): string => {
    const position = positions[field];
    return position === undefined ? '' : (cells[position] ?? '').trim();
  };
  const amountOf = amountReader(lines, cell);
  const { order, known } = dateOrder(lines.map((line) => cell(line, 'date')));
  const [rows, unused]: [BankRow[], UnusedRow[]] = [[], []];
  for (const line of lines) {
    const narration = (
      cell(line, 'reference') ||
      line.cells
        .map((text) => text.trim())
        .filter(Boolean)
        .join(' ')
    ).slice(0, MAX_NARRATION);
    const date = bankDate(cell(line, 'date'), order) ?? null;
    const extra = shifts && line.cells.slice(width).some((text) => text.trim() !== '');
    const amount_kobo = extra ? undefined : amountOf(line);
    const label = isHeader(line) ? 'header' : labelOf(line);
    if (label) unused.push({ line: line.line, date, amount_kobo: null, narration, why: label });
    else if (!amount_kobo)
      unused.push({ line: line.line, date, amount_kobo: null, narration, why: extra ? 'too_many_cells' : 'no_amount' });
    else if (date === null) unused.push({ line: line.line, date, amount_kobo, narration, why: 'no_date' });
    else rows.push({ line: line.line, date, amount_kobo, narration });
  }
  const asked = lines.some((line) => needsOrder(cell(line, 'date')));
  return { rows, unused, date_order: asked ? { order, known } : null };
}

/** Returns a test for rows that repeat the header, as files that were made from pages have. */
function headerTest(header: readonly string[]): (row: TableRow) => boolean {
  const [names, first] = [header.map(nameKey), nameKey(header.find((cell) => cell.trim() !== '') ?? '')];
  return ({ cells }) =>
    cells.some((cell) => nameKey(cell) === first) && names.every((name, column) => name === nameKey(cells[column] ?? ''));
}

/** Balances and totals are told by a cell that says nothing else: a payment's narration may begin with the same words. */
function labelOf({ cells }: TableRow): 'balance' | 'total' | undefined {
  const texts = cells.map((cell) => cell.trim()).filter((text) => text !== '' && text.length < 100);
  if (texts.some((text) => BALANCE.test(text))) return 'balance';
  return texts.some((text) => TOTAL.test(text)) ? 'total' : undefined;
}

/** Returns a function that reads a row's amount in kobo, negative for money out; 0 or undefined if the row has none. */
function amountReader(
  lines: readonly TableRow[],
  cell: (line: TableRow, field: ColumnField) => string,
): (line: TableRow) => number | undefined {
  const debitOf = (line: TableRow): number => bankAmount(cell(line, 'debit')) ?? 0;
  // Some banks write a sign before each debit. In a column without that habit, a negative debit is money that came back.
  const areNegative = lines.every((line) => debitOf(line) <= 0);
  return (line) => {
    const signed = bankAmount(cell(line, 'amount'));
    if (signed !== undefined) return signed;
    const [credit, debit] = [bankAmount(cell(line, 'credit')) ?? 0, debitOf(line)];
    if (credit !== 0 && debit !== 0) return undefined;
    return credit === 0 ? (areNegative ? debit : -debit) : credit;
  };
}
