import { QueryBus } from '@nestjs/cqrs';
import { InvalidArgumentError, Option } from 'commander';
import { csv } from '../../kernel/csv.js';
import { dateProblem } from '../../kernel/iso-8601.js';
import { GetTrialBalance, type TrialBalance } from '../../contexts/ledger/get-trial-balance.query.js';
import { trialBalanceView } from '../../contexts/ledger/trial-balance-view.js';
import { formatNaira } from '../../kernel/money.js';
import { printError, printText, table } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

type Format = 'table' | 'csv' | 'json';

export function trialBalance(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('trial-balance')
    .reads()
    .description('print the debits, credits and balance of every account; exits with 1 if they do not balance')
    .option('--at <date>', 'ISO 8601 date or time; the balance is that at the end of its day, UTC (default: today)', date)
    .addOption(new Option('--format <format>', 'output format').choices(['table', 'csv', 'json']).default('table'))
    .action(async ({ at, format }: { at?: string; format: Format }) => {
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetTrialBalance(at)));
      printText(formatted(found, format));
      if (found.difference_kobo === 0n) return;
      printError(`the ledger does not balance: debits less credits are NGN ${formatNaira(found.difference_kobo)}`);
      process.exitCode = 1;
    });
}

function date(text: string): string {
  const problem = dateProblem(text);
  if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

function formatted(found: TrialBalance, format: Format): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(trialBalanceView(found))}\n`;
    case 'csv':
      return csv([
        ['account', 'debit', 'credit', 'balance'],
        ...found.accounts.map(({ account, debit_kobo, credit_kobo, balance_kobo }) => [
          account,
          { kobo: debit_kobo },
          { kobo: credit_kobo },
          { kobo: balance_kobo },
        ]),
      ]);
    case 'table':
      return accountTable(found);
  }
}

function accountTable({ at, accounts, total_debit_kobo, total_credit_kobo, difference_kobo }: TrialBalance): string {
  const total = { account: 'total', debit_kobo: total_debit_kobo, credit_kobo: total_credit_kobo, balance_kobo: difference_kobo };
  const rows = [...accounts, total].map(({ account, debit_kobo, credit_kobo, balance_kobo }) => [
    account,
    ...[debit_kobo, credit_kobo, balance_kobo].map((kobo) => formatNaira(kobo)),
  ]);
  return `In NGN, up to the end of ${at} (UTC)\n${table(['account', 'debit', 'credit', 'balance'], rows, [1, 2, 3])}\n`;
}
