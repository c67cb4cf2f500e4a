import { QueryBus } from '@nestjs/cqrs';
import { GetTrialBalance, type TrialBalance } from '../../contexts/accounting/books/get-trial-balance.query.js';
import { type AccountView, TrialBalanceQueryDto } from '../../contexts/accounting/books/ledger.dto.js';
import { isBalanced, TRIAL_BALANCE_COLUMNS, trialBalanceView } from '../../contexts/accounting/books/trial-balance-view.js';
import { type AccountMovement } from '../../contexts/accounting/domain/account-totals.js';
import { asOfLabel } from '../../contexts/accounting/statements/statement-labels.js';
import { formatNaira } from '../../kernel/money.js';
import { validateBody } from '../../http/validating/validation.js';
import { fieldOf } from '../support/values.js';
import { printError } from '../support/output.js';
import { addPeriodReportOptions, type PeriodReportOptions, moneyOf, type PrintedReport, printReport } from './report.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

interface Options extends PeriodReportOptions {
  readonly at?: string;
}

export function trialBalance(command: RupaCommand, runtime: CommandRuntime): void {
  addPeriodReportOptions(command.reads())
    .option(
      '--at <time>',
      'in place of a period, the last moment that is counted: ISO 8601 time, or date for its end, UTC',
      fieldOf(TrialBalanceQueryDto, 'at'),
    )
    .action(async ({ mode, format, json, ...asked }: Options) => {
      const period = validateBody(TrialBalanceQueryDto, asked);
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetTrialBalance(mode, period)));
      printReport(report(found), { format, json });
      if (isBalanced(found)) return;
      const { opening_kobo, closing_kobo } = found.total;
      const difference = closing_kobo === 0n ? opening_kobo : closing_kobo;
      printError(`the ${mode} ledger does not balance: debits less credits are NGN ${formatNaira(difference)}`);
      process.exitCode = 1;
    });
}

function report(found: TrialBalance): PrintedReport<AccountMovement, Omit<AccountView, 'balance'>> {
  const { mode, from, at, as_of_index, accounts, total } = found;
  const { opening_kobo, debit_kobo, credit_kobo, closing_kobo } = total;
  const period = from === null ? `up to ${at}` : `from ${from} up to ${at}`;
  return {
    columns: TRIAL_BALANCE_COLUMNS,
    rows: accounts,
    view: trialBalanceView(found),
    head: `Books of ${moneyOf(mode)}, in NGN, ${period}${asOfLabel(as_of_index)}`,
    totals: [['total', '', ...[opening_kobo, debit_kobo, credit_kobo, closing_kobo].map((kobo) => formatNaira(kobo))]],
  };
}
