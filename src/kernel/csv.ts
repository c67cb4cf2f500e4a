import { formatNaira } from './money.js';

/** Text, a count, money in integer kobo (written in NGN with two decimals), or nothing. */
export type CsvCell = string | number | { readonly kobo: number | bigint } | null;

/** What spreadsheets would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Rows as RFC 4180 has them. */
export function csv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map(csvLine).join('');
}

/** One row, its CRLF included. Text that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvLine(row: readonly CsvCell[]): string {
  return `${row.map(written).join(',')}\r\n`;
}

function written(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'object') return formatNaira(cell.kobo, '');
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
