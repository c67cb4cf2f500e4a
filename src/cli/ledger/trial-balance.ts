import { QueryBus } from '@nestjs/cqrs';
import { InvalidArgumentError, Option } from 'commander';
import { csv } from '../../kernel/csv.js';
import { canonicalDate, dateProblem } from '../../kernel/iso-8601.js';
import { GetTrialBalance, type TrialBalance } from '../../contexts/accounting/books/get-trial-balance.query.js';
import { trialBalanceView } from '../../contexts/accounting/books/trial-balance-view.js';
import { asOfLabel } from '../../contexts/accounting/statements/statement-labels.js';
import { type Mode, MODES } from '../../kernel/accounts.js';
import { formatNaira } from '../../kernel/money.js';
import { printError, printText } from '../support/output.js';
import { table } from '../support/table.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

type Format = 'table' | 'csv' | 'json';

export function trialBalance(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .addOption(new Option('--mode <mode>', 'whose wallets are counted').choices(MODES).default('live'))
    .option('--at <time>', 'the last moment that is counted: ISO 8601 time, or date for the end of that day, UTC (default: now)', date)
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'csv', 'json']).default('table'))
    .action(async ({ mode, at, format }: { mode: Mode; at?: string; format: Format }) => {
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetTrialBalance(mode, at)));
      printText(formatted(found, format));
      if (found.difference_kobo === 0n) return;
      printError(`the ${mode} ledger does not balance: debits less credits are NGN ${formatNaira(found.difference_kobo)}`);
      process.exitCode = 1;
    });
}

function date(text: string): string {
  const problem = dateProblem(text);
  if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`);
  return canonicalDate(text);
}

function formatted(found: TrialBalance, format: Format): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(trialBalanceView(found))}\n`;
    case 'csv':
      return csv([
        ['account', 'debit', 'credit', 'balance'],
        ...found.accounts.map(({ account, debit_kobo, credit_kobo }) => [
          account,
          { kobo: debit_kobo },
          { kobo: credit_kobo },
          { kobo: debit_kobo - credit_kobo },
        ]),
      ]);
    case 'table':
      return accountTable(found);
  }
}

function accountTable({ mode, at, as_of_index, accounts, total_debit_kobo, total_credit_kobo }: TrialBalance): string {
  const total = { account: 'total', debit_kobo: total_debit_kobo, credit_kobo: total_credit_kobo };
  const rows = [...accounts, total].map(({ account, debit_kobo, credit_kobo }) => [
    account,
    ...[debit_kobo, credit_kobo, debit_kobo - credit_kobo].map((kobo) => formatNaira(kobo)),
  ]);
  const money = mode === 'sandbox' ? 'sandbox, play money' : 'live';
  return `Books of ${money}, in NGN, up to ${at}${asOfLabel(as_of_index)}\n${table(['account', 'debit', 'credit', 'balance'], rows, [1, 2, 3])}\n`;
}
