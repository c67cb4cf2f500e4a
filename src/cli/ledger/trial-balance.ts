import { QueryBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { GetTrialBalance, type TrialBalance } from '../../contexts/accounting/books/get-trial-balance.query.js';
import { REPORT_FORMATS, type ReportFormat, TrialBalanceQueryDto } from '../../contexts/accounting/books/ledger.dto.js';
import { isBalanced, trialBalanceCsv, trialBalanceView } from '../../contexts/accounting/books/trial-balance-view.js';
import { kindOf } from '../../contexts/accounting/domain/chart-of-accounts.js';
import { asOfLabel } from '../../contexts/accounting/statements/statement-labels.js';
import { type Mode, MODES } from '../../kernel/accounts.js';
import { formatNaira } from '../../kernel/money.js';
import { validateBody } from '../../http/validating/validation.js';
import { fieldOf } from '../support/values.js';
import { printError, printText } from '../support/output.js';
import { table } from '../support/table.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

type Format = 'table' | ReportFormat;

interface Options {
  readonly mode: Mode;
  readonly at?: string;
  readonly from?: string;
  readonly to?: string;
  readonly format: Format;
}

export function trialBalance(command: RupaCommand, runtime: CommandRuntime): void {
  const field = (name: 'at' | 'from' | 'to') => fieldOf(TrialBalanceQueryDto, name);
  command
    .reads()
    .addOption(new Option('--mode <mode>', 'whose wallets are counted').choices(MODES).default('live'))
    .option('--from <day>', 'first day of the period, UTC (default: the beginning of the books)', field('from'))
    .option('--to <day>', 'last day of the period, UTC (default: today)', field('to'))
    .option('--at <time>', 'in place of a period, the last moment that is counted: ISO 8601 time, or date for its end, UTC', field('at'))
    .addOption(new Option('--format <format>', 'output format').choices(['table', ...REPORT_FORMATS]).default('table'))
    .action(async ({ mode, format, ...asked }: Options) => {
      const period = validateBody(TrialBalanceQueryDto, asked);
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetTrialBalance(mode, period)));
      printText(formatted(found, format));
      if (isBalanced(found)) return;
      const { opening_kobo, closing_kobo } = found.total;
      const difference = closing_kobo === 0n ? opening_kobo : closing_kobo;
      printError(`the ${mode} ledger does not balance: debits less credits are NGN ${formatNaira(difference)}`);
      process.exitCode = 1;
    });
}

function formatted(found: TrialBalance, format: Format): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(trialBalanceView(found))}\n`;
    case 'csv':
      return trialBalanceCsv(found);
    case 'table':
      return accountTable(found);
  }
}

function accountTable({ mode, from, at, as_of_index, accounts, total }: TrialBalance): string {
  const rows = [...accounts, { account: 'total', ...total }].map(({ account, opening_kobo, debit_kobo, credit_kobo, closing_kobo }) => [
    account,
    account === 'total' ? '' : (kindOf(account) ?? ''),
    ...[opening_kobo, debit_kobo, credit_kobo, closing_kobo].map((kobo) => formatNaira(kobo)),
  ]);
  const money = mode === 'sandbox' ? 'sandbox, play money' : 'live';
  const period = from === null ? `up to ${at}` : `from ${from} up to ${at}`;
  const head = ['account', 'kind', 'opening', 'debit', 'credit', 'closing'];
  return `Books of ${money}, in NGN, ${period}${asOfLabel(as_of_index)}\n${table(head, rows, [2, 3, 4, 5])}\n`;
}
