import { QueryBus } from '@nestjs/cqrs';
import { InvalidArgumentError, Option } from 'commander';
import { type BankColumns, COLUMN_FIELDS } from '../../contexts/accounting/domain/reconciling/bank-columns.js';
import { isReconciled } from '../../contexts/accounting/domain/reconciling/reconcile.js';
import { type BankReconciliation, ReconcileBankFile } from '../../contexts/accounting/reconciling/reconcile-bank-file.query.js';
import {
  linesOf,
  LISTS,
  type ListedLine,
  type ListName,
  reconciliationCsv,
  reconciliationView,
  totalsOf,
} from '../../contexts/accounting/reconciling/reconciliation-view.js';
import { DEFAULT_DAYS, ReconcileBankQueryDto, ReconcileOptionsDto } from '../../contexts/accounting/reconciling/reconciliation.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { type Mode, MODES } from '../../kernel/accounts.js';
import { formatNaira } from '../../kernel/money.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { bytesIn } from '../../platform/utf8.js';
import { type CommandRuntime } from '../runtime.js';
import { type RupaCommand } from '../rupa-command.js';
import { openInput } from '../support/input.js';
import { addFormats, formatOf, printError, printText } from '../support/output.js';
import { table } from '../support/table.js';
import { fieldOf } from '../support/values.js';

const FORMATS = ['table', 'csv', 'json'] as const;

interface Options {
  readonly map: Partial<BankColumns>;
  readonly mode: Mode;
  readonly days?: number;
  readonly tolerance?: number;
  readonly from?: string;
  readonly to?: string;
  readonly format: (typeof FORMATS)[number];
  readonly json?: true;
}

const MAP = 'date=COLUMN,reference=COLUMN,amount=COLUMN or, in place of amount, credit=COLUMN,debit=COLUMN';

/** Compares a bank's file with the books (docs/accounting.md, "Reconcile with the bank"). */
export function reconcilePayments(command: RupaCommand, runtime: CommandRuntime): void {
  const field = (name: 'days' | 'tolerance' | 'from' | 'to') => fieldOf(ReconcileOptionsDto, name);
  addFormats(command, FORMATS)
    .reads()
    .argument('<file>', 'CSV or XLSX file of the bank; - for standard input')
    .requiredOption('--map <columns>', `names of the file’s columns: ${MAP}`, columnMap)
    .addOption(new Option('--mode <mode>', 'whose wallets and entries are compared').choices(MODES).default('live'))
    .option('--days <n>', `days that a movement may be recorded before or after the bank’s date (default: ${DEFAULT_DAYS})`, field('days'))
    .option('--tolerance <naira>', 'NGN by which a bank’s amount may differ from the books (default: 0)', field('tolerance'))
    .option('--from <day>', 'first day of the movements that need a row, UTC (default: the file’s first date, less --days)', field('from'))
    .option('--to <day>', 'last day of the movements that need a row, UTC (default: the file’s last date, plus --days)', field('to'))
    .action(async (path: string, { map, format, json, ...given }: Options) => {
      const parameters = validateBody(ReconcileBankQueryDto, { ...map, ...given });
      const bytes = await contentOf(path);
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new ReconcileBankFile(bytes, parameters)));
      printText(formatted(found, formatOf({ format, json })));
      if (!isReconciled(found.found)) process.exitCode = 1;
    });
}

/** @throws ValidationFailed, so that the command exits with 2 */
async function contentOf(path: string): Promise<Buffer> {
  try {
    return await bytesIn(openInput(path).stream);
  } catch (error) {
    throw new ValidationFailed({ file: [`${path} cannot be read: ${(error as Error).message}`] });
  }
}

/** A column's name may contain commas and equals signs, so the text is split before the names of fields only. */
function columnMap(text: string): Partial<BankColumns> {
  const pairs = text.split(new RegExp(`,(?=(?:${COLUMN_FIELDS.join('|')})=)`)).map((pair): [string, string] => {
    const [, name = '', column = ''] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    return [name, column.trim()];
  });
  const columns = Object.fromEntries(pairs) as Partial<BankColumns>;
  const isComplete = columns.date && columns.reference && Boolean(columns.amount) !== Boolean(columns.credit);
  if (!isComplete || pairs.some(([name, column]) => column === '' || !(COLUMN_FIELDS as readonly string[]).includes(name)))
    throw new InvalidArgumentError(`It must be ${MAP}.`);
  return columns;
}

function formatted(found: BankReconciliation, format: Options['format']): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(reconciliationView(found))}\n`;
    case 'csv':
      return reconciliationCsv(found);
    case 'table':
      return report(found);
  }
}

/** The names of the lists in the table. */
const NAMES: Readonly<Record<ListName | 'file', string>> = {
  matched: 'matched',
  split: 'split payments',
  not_credited: 'not credited',
  different: 'different',
  ambiguous: 'ambiguous',
  skipped: 'skipped',
  file: 'the whole file',
  not_in_file: 'not in the file',
};

function report(whole: BankReconciliation): string {
  const { mode, options, sheet, file, found } = whole;
  if (file.date_order && !file.date_order.known)
    printError('No date shows whether the day or the month comes first; they were read day first.');
  const totals = totalsOf(found);
  const counts = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const summary = table(
    ['list', 'rows', 'NGN'],
    counts.map((name) => [NAMES[name], totals[name].lines, formatNaira(totals[name].amount_kobo)]),
    [1, 2],
  );
  const attention = LISTS.flatMap((list) => linesOf(found, list).filter(needsAttention));
  const scope = `Books of ${mode}, movements of ${options.from} to ${options.to} (UTC), give or take ${options.days} days${sheet === null ? '' : `; sheet ${JSON.stringify(sheet)}`}`;
  if (attention.length === 0) return `${scope}\n${summary}\nThe file and the books agree.\n`;
  const head = ['list', 'line', 'bank date', 'bank NGN', 'narration', 'why', 'reference', 'booked on', 'booked NGN', 'partner'];
  return `${scope}\n${summary}\nNeed attention:\n${table(head, attention.map(cellsOf), [1, 3, 8])}\n`;
}

/** Pairs that only their amount shows to belong together may be a payment that was not credited, and money that went elsewhere. */
function needsAttention({ list, why }: ListedLine): boolean {
  return !['matched', 'split', 'skipped'].includes(list) || why.endsWith('(by amount)') || why === 'too_many_cells' || why === 'no_date';
}

function cellsOf({ list, row, why, movement }: ListedLine): string[] {
  const partner = movement === null || movement.kind === 'entry' ? '' : `${movement.company_name} (${movement.partner_id})`;
  const amount = row?.amount_kobo == null ? '' : formatNaira(row.amount_kobo);
  const bank = row ? [String(row.line), row.date ?? '', amount, row.narration, why] : ['', '', '', '', why];
  const booked = movement ? [movement.reference, movement.date, formatNaira(movement.cash_kobo), partner] : ['', '', '', ''];
  return [NAMES[list], ...bank, ...booked];
}
