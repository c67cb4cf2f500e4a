import { QueryBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { GetJournal, type Journal } from '../../contexts/accounting/books/get-journal.query.js';
import { journalColumns, journalCsv, JournalQueryDto, journalView } from '../../contexts/accounting/books/journal.dto.js';
import { JOURNAL_GROUPS, type JournalGroup } from '../../contexts/accounting/domain/journal-lines.js';
import { asOfLabel } from '../../contexts/accounting/statements/statement-labels.js';
import { jsonText } from '../../http/validating/json-text.js';
import { validateBody } from '../../http/validating/validation.js';
import { writeToStdout } from '../support/write-output.js';
import { formatOf } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { addPeriodReportOptions, type PeriodReportOptions, moneyOf, reportTable } from './report.js';

interface Options extends PeriodReportOptions {
  readonly by: JournalGroup;
}

export function journal(command: RupaCommand, runtime: CommandRuntime): void {
  addPeriodReportOptions(command.reads())
    .addOption(new Option('--by <rows>', 'rows for each entry, or for each day').choices(JOURNAL_GROUPS).default('entry'))
    .action(async ({ mode, format, json, by, ...asked }: Options) => {
      const period = validateBody(JournalQueryDto, asked);
      await runtime.withApplication(async (app) => {
        await using found = await app.get(QueryBus).execute(new GetJournal(mode, period, by));
        await writeToStdout(formatted(found, formatOf({ format, json })));
      });
    });
}

async function* formatted(found: Journal, format: PeriodReportOptions['format']): AsyncGenerator<string> {
  switch (format) {
    case 'json':
      yield* jsonText(journalView(found));
      yield '\n';
      return;
    case 'csv':
      yield* journalCsv(found);
      return;
    case 'table': {
      // A column is as wide as its widest cell.
      const rows = await Array.fromAsync(found.lines);
      const days = found.from === null ? `up to ${found.to}` : `from ${found.from} to ${found.to}`;
      const head = `Journal of ${moneyOf(found.mode)}, in NGN, ${days} (UTC)${asOfLabel(found.as_of_index)}`;
      yield reportTable({ columns: journalColumns(found.codes), rows, head });
    }
  }
}
