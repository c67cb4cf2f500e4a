import { Option } from 'commander';
import { REPORT_FORMATS, type ReportColumns, type ReportFormat } from '../../contexts/accounting/books/report-formats.js';
import { PeriodReportQueryDto } from '../../contexts/accounting/books/report-queries.dto.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../kernel/accounts.js';
import { addFormats, formatOf, type FormatOptions, printText } from '../support/output.js';
import { table } from '../support/table.js';
import { fieldOf } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';

/** The options of every report (finance, "Finance: what an accounts department needs to close a month"). */
export interface ReportOptions extends FormatOptions<'table' | ReportFormat> {
  readonly mode: Mode;
}

export function addReportOptions(command: RupaCommand): RupaCommand {
  const mode = new Option('--mode <mode>', 'whose wallets are counted').choices(MODES).default(DEFAULT_MODE);
  return addFormats(command.addOption(mode), ['table', ...REPORT_FORMATS]);
}

/** The options of a report over days. */
export interface PeriodReportOptions extends ReportOptions {
  readonly from?: string;
  readonly to?: string;
}

export function addPeriodReportOptions(command: RupaCommand): RupaCommand {
  const field = (name: 'from' | 'to') => fieldOf(PeriodReportQueryDto, name);
  return addReportOptions(command)
    .option('--from <day>', 'first day of the period, UTC (default: the beginning of the books)', field('from'))
    .option('--to <day>', 'last day of the period, UTC (default: today)', field('to'));
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
export function printReport<Row, View extends object>(
  report: PrintedReport<Row, View>,
  options: FormatOptions<ReportOptions['format']>,
): void {
  const { columns, rows, view } = report;
  const format = formatOf(options);
  if (format === 'json') printText(`${JSON.stringify(view)}\n`);
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
