import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { ClosePeriod, type CloseResult } from '../../contexts/accounting/closing/close-period.command.js';
import { CLOSED_ACCOUNT_COLUMNS, closedPeriodView } from '../../contexts/accounting/closing/period-view.js';
import { periodRejectionResponses } from '../../contexts/accounting/closing/periods.dto.js';
import { PeriodRejection } from '../../contexts/accounting/domain/closing.js';
import { type Month } from '../../contexts/accounting/domain/month.js';
import { asOfLabel } from '../../contexts/accounting/statements/statement-labels.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../kernel/accounts.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printText } from '../support/output.js';
import { month } from '../support/values.js';
import { moneyOf, reportTable } from './report.js';

interface Options {
  readonly mode: Mode;
  readonly json?: true;
}

export function closePeriod(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<month>', 'month in UTC, such as 2026-03', month)
    .addOption(new Option('--mode <mode>', 'the books whose month is closed').choices(MODES).default(DEFAULT_MODE))
    .option('--json', 'print the closed month as JSON')
    .action(async (closed: Month, { mode, json }: Options) => {
      const result = await runtime.withApplication((app) =>
        app
          .get(CommandBus)
          .execute(new ClosePeriod(closed, mode, runtime.actor))
          .catch(withFacts),
      );
      printText(json ? `${JSON.stringify(closedPeriodView(result))}\n` : textOf(result));
    });
}

function textOf({ closed: { period, mode, accounts, entries, index, recorded_at, actor }, created }: CloseResult): string {
  const head = `${created ? 'closed' : 'already closed'} ${period} of the ${moneyOf(mode)} books, in NGN: ${entries} entries${asOfLabel(index)}; by ${actor} at ${recorded_at}`;
  return reportTable({ columns: CLOSED_ACCOUNT_COLUMNS, rows: accounts, head });
}

/** Adds to the sentence of a refused close what HTTP states in `data`. */
function withFacts(error: unknown): never {
  if (!(error instanceof PeriodRejection)) throw error;
  const { message, data } = periodRejectionResponses[error.code];
  if (message === undefined || !data) throw error;
  const facts = Object.entries(data(error.facts)).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`);
  throw new Error(`${message} (${facts.join(', ')})`, { cause: error });
}
