import { QueryBus } from '@nestjs/cqrs';
import { InvalidArgumentError, Option } from 'commander';
import {
  BANK_FIELDS,
  type BankFile,
  type BankField,
  type ColumnMap,
  readBankFile,
  UnreadableBankFile,
} from '../../contexts/accounting/reconciling/bank-file.js';
import {
  type BankPayment,
  dayAfter,
  type PaymentCredit,
  type Reconciliation,
  remaining,
} from '../../contexts/accounting/domain/reconcile.js';
import { ReconcilePayments } from '../../contexts/accounting/reconciling/reconcile-payments.query.js';
import { isReconciled, reconciliationView } from '../../contexts/accounting/reconciling/reconciliation-view.js';
import { isDate8601 } from '../../kernel/iso-8601.js';
import { type Mode, MODES } from '../../kernel/accounts.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { formatNaira } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { bytesIn } from '../../platform/utf8.js';
import { openInput } from '../support/input.js';
import { printError, printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { wholeNumber } from '../support/values.js';

interface Options {
  readonly map: ColumnMap;
  readonly mode: Mode;
  readonly days: number;
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
}

const DEFAULT_DAYS = 3;
const MAX_DAYS = 366;

/** Matches the payments that a bank lists with credits (docs/accounting.md, "Reconcile with the bank"). */
export function reconcilePayments(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<file>', 'CSV file of the bank; - for standard input')
    .requiredOption('--map <columns>', 'names of the file’s columns: reference=COLUMN,amount=COLUMN,date=COLUMN', columnMap)
    .addOption(new Option('--mode <mode>', 'whose wallets are compared').choices(MODES).default('live'))
    .option('--days <n>', 'days that a credit may be recorded before or after the bank’s date', wholeNumber(0, MAX_DAYS), DEFAULT_DAYS)
    .option('--from <day>', 'first day that the file covers (default: its first date, less --days)', day)
    .option('--to <day>', 'last day that the file covers (default: its last date, plus --days)', day)
    .option('--json', 'print as JSON')
    .action(async (path: string, { map, mode, days, json, ...given }: Options) => {
      const file = await readPayments(path, map);
      const dates = file.payments.map(({ date }) => date).sort();
      const { from = dayAfter(dates[0] ?? '', -days), to = dayAfter(dates.at(-1) ?? '', days) } = given;
      if (from > to) command.error(`error: --from ${from} is after ${to}`);
      const found = await runtime.withApplication((app) =>
        app.get(QueryBus).execute(new ReconcilePayments(file.payments, mode, { days, from, to })),
      );
      const { payments, skipped, date_order } = file;
      const scope = { mode, days, from, to, payments: payments.length, skipped, date_order };
      if (json) printLine(JSON.stringify({ ...scope, ...reconciliationView(found) }));
      else printLine(report(found, scope));
      if (!isReconciled(found)) process.exitCode = 1;
    });
}

/** @throws ValidationFailed with a sentence that names the line, so that the command exits with 2 */
async function readPayments(path: string, map: ColumnMap): Promise<BankFile> {
  const refused = (why: string): ValidationFailed => new ValidationFailed({ file: [`${path} cannot be read: ${why}`] });
  const bytes = await contentOf(path).catch((error: unknown) => {
    throw refused((error as Error).message);
  });
  try {
    const file = readBankFile(bytes, map);
    if (file.payments.length > 0) return file;
  } catch (error) {
    throw error instanceof UnreadableBankFile ? refused(error.message) : error;
  }
  throw refused(`it has no payment in the column ${JSON.stringify(map.amount)}.`);
}

async function contentOf(path: string): Promise<Buffer> {
  return await bytesIn(openInput(path).stream);
}

/** A column's name may contain commas and equals signs, so the text is split before the names of fields only. */
function columnMap(text: string): ColumnMap {
  const pairs = text.split(/,(?=(?:reference|amount|date)=)/).map((pair): [string, string] => {
    const [, field = '', column = ''] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    return [field, column.trim()];
  });
  const columns = Object.fromEntries(pairs) as Record<BankField, string>;
  if (pairs.length !== BANK_FIELDS.length || BANK_FIELDS.some((field) => !columns[field]))
    throw new InvalidArgumentError('It must be reference=COLUMN,amount=COLUMN,date=COLUMN.');
  return columns;
}

function day(text: string): string {
  if (text.length !== 'yyyy-mm-dd'.length || !isDate8601(text)) throw new InvalidArgumentError('It must be a day such as 2026-03-31.');
  return text;
}

interface Scope extends Pick<BankFile, 'skipped' | 'date_order'> {
  readonly mode: Mode;
  readonly days: number;
  readonly from: string;
  readonly to: string;
  readonly payments: number;
}

function report(found: Reconciliation, { mode, days, from, to, payments, skipped, date_order }: Scope): string {
  if (date_order && !date_order.known) printError('No date shows whether the day or the month comes first; they were read day first.');
  const rows = differenceRows(found);
  const summary = `${found.matched} of ${payments} payments match a ${mode} credit by reference, amount and date (give or take ${days} days); credits of ${from} to ${to} need a payment; lines that are no payments: ${skipped}; differences: ${rows.length}`;
  if (rows.length === 0) return summary;
  const head = ['difference', 'reference', 'line', 'bank date', 'bank NGN', 'credit date', 'credit NGN', 'reversed NGN', 'partner'];
  return `${table(head, rows, [2, 4, 6, 7])}\n${summary}`;
}

function differenceRows(found: Reconciliation): string[][] {
  return [
    ...found.missing_credits.map((payment) => row('not credited', payment, undefined)),
    ...found.missing_payments.map((credit) => row('not in the file', undefined, credit)),
    ...found.double_payments.map((payment) => row('paid twice', payment, undefined)),
    ...found.double_credits.map((credit) => row('credited twice', undefined, credit)),
    ...found.differing.map(({ payment, credit, fields }) => row(`other ${fields.join(' and ')}`, payment, credit)),
  ];
}

function row(difference: string, payment: BankPayment | undefined, credit: PaymentCredit | undefined): string[] {
  const { reference = '' } = payment ?? credit ?? {};
  const bank = payment ? [String(payment.line), payment.date, formatNaira(payment.amount_kobo)] : ['', '', ''];
  const wallet = credit
    ? [
        credit.recorded_at.slice(0, 10),
        formatNaira(remaining(credit)),
        formatNaira(credit.reversed_kobo),
        `${credit.company_name} (${credit.partner_id})`,
      ]
    : ['', '', '', ''];
  return [difference, reference, ...bank, ...wallet];
}
