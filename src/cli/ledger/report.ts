import { Option } from 'commander';
import { REPORT_FORMATS, type ReportColumns, type ReportFormat } from '../../contexts/accounting/books/report-formats.js';
import { type Mode } from '../../kernel/accounts.js';
import { printText } from '../support/output.js';
import { table } from '../support/table.js';
import { type RupaCommand } from '../rupa-command.js';

/** The options of a report's format (finance, "Finance: what an accounts department needs to close a month"). */
export interface FormatOptions {
  readonly format: 'table' | ReportFormat;
  readonly json?: true;
}

export function addFormatOptions(command: RupaCommand): RupaCommand {
  return command
    .addOption(new Option('--format <format>', 'output format').choices(['table', ...REPORT_FORMATS]).default('table'))
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'));
}

/** A report as a table. */
export interface TableReport<Row, View extends object> {
  readonly columns: ReportColumns<Row, View>;
  readonly rows: readonly Row[];
  /** Line above the table. */
  readonly head: string;
  /** Rows of texts below the others, such as totals. */
  readonly totals?: readonly (readonly string[])[];
}

/** A report in each of its forms. */
export interface PrintedReport<Row, View extends object> extends TableReport<Row, View> {
  /** The report as the HTTP call shows it. */
  readonly view: object;
}

/** Prints a report in the format that was asked for. */
export function printReport<Row, View extends object>(report: PrintedReport<Row, View>, { format, json }: FormatOptions): void {
  const { columns, rows, view } = report;
  if (json || format === 'json') printText(`${JSON.stringify(view)}\n`);
  else if (format === 'csv') printText(columns.csv(rows));
  else printText(reportTable(report));
}

/** Returns a report as a table below its head. */
export function reportTable<Row, View extends object>({ columns, rows, head, totals = [] }: TableReport<Row, View>): string {
  return `${head}\n${table(columns.names, [...columns.texts(rows), ...totals], columns.numeric(rows))}\n`;
}

/** Names the money of a mode in the head of a report. */
export function moneyOf(mode: Mode): string {
  return mode === 'sandbox' ? 'sandbox, play money' : 'live';
}
