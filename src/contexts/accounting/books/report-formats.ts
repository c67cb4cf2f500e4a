import { type FastifyReply } from 'fastify';
import { csv, type CsvCell } from '../../../kernel/csv.js';
import { formatNaira, sumInNaira } from '../../../kernel/money.js';

export const REPORT_FORMATS = ['json', 'csv'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Spreadsheets take a file for UTF-8 that begins with it. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The columns of a report in their order, by which its rows are written as JSON, as CSV under the same names, and as a table (finance,
 * "Reports").
 * @typeParam View a row as JSON
 */
export class ReportColumns<Row, View extends object> {
  readonly names: readonly string[];
  private readonly cells: readonly (readonly [name: string, cell: (row: Row) => CsvCell])[];

  constructor(columns: { readonly [Name in keyof View]: (row: Row) => CsvCell }) {
    this.cells = Object.entries<(row: Row) => CsvCell>(columns);
    this.names = this.cells.map(([name]) => name);
  }

  /** Returns a row as JSON; money is in NGN. */
  view(row: Row): View {
    return Object.fromEntries(this.cells.map(([name, cell]) => [name, jsonOf(cell(row))])) as View;
  }

  cellsOf(row: Row): CsvCell[] {
    return this.cells.map(([, cell]) => cell(row));
  }

  /** Returns the rows alone as CSV with its head; money is in NGN with two decimals. */
  csv(rows: readonly Row[]): string {
    return `${BYTE_ORDER_MARK}${csv([this.names, ...rows.map((row) => this.cellsOf(row))])}`;
  }

  /** Returns which columns of a row have numbers, for tables that align them to the right. A report without rows has none. */
  numeric(rows: readonly Row[]): number[] {
    const [row] = rows;
    if (row === undefined) return [];
    return this.cells.flatMap(([, cell], index) => (typeof cell(row) === 'string' || cell(row) === null ? [] : [index]));
  }

  /** Returns the rows as texts for a table on a terminal; money has thousands separators. */
  texts(rows: readonly Row[]): string[][] {
    return rows.map((row) => this.cellsOf(row).map(textOf));
  }
}

function jsonOf(cell: CsvCell): unknown {
  return typeof cell === 'object' && cell !== null ? sumInNaira(BigInt(cell.kobo)) : cell;
}

function textOf(cell: CsvCell): string {
  if (typeof cell === 'object') return cell === null ? '' : formatNaira(cell.kobo);
  return String(cell);
}

/** Sets the headers of a response that is a CSV file to be saved. @param name of the file, without its extension */
export function savedAsCsv(reply: FastifyReply, name: string): void {
  reply
    .headers({ 'Content-Disposition': `attachment; filename="${name}.csv"`, 'Cache-Control': 'no-store' })
    .type('text/csv; charset=utf-8');
}
