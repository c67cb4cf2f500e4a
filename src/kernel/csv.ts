import { formatNaira } from './money.js';

/** A cell: text, a count, money in integer kobo (written in NGN with two decimals), or null for an empty cell. */
export type CsvCell = string | number | { readonly kobo: number | bigint } | null;

/** Beginnings of texts that spreadsheets would run as formulas. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns the rows as CSV (RFC 4180). */
export function csv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map(csvLine).join('');
}

/** Returns one row with its CRLF. Text that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export function csvLine(row: readonly CsvCell[]): string {
  return `${row.map(formatCell).join(',')}\r\n`;
}

function formatCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'object') return formatNaira(cell.kobo, '');
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
