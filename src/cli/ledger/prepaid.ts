import { QueryBus } from '@nestjs/cqrs';
import { GetPrepaid } from '../../contexts/accounting/prepaid/get-prepaid.query.js';
import { PREPAID_COLUMNS, PrepaidQueryDto, prepaidView } from '../../contexts/accounting/prepaid/prepaid.dto.js';
import { asOfLabel } from '../../contexts/accounting/statements/statement-labels.js';
import { fieldOf } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { addReportOptions, moneyOf, printReport, type ReportOptions } from './report.js';

interface Options extends ReportOptions {
  readonly at?: string;
}

export function prepaid(command: RupaCommand, runtime: CommandRuntime): void {
  addReportOptions(command.reads())
    .option(
      '--at <time>',
      'last moment that is counted: ISO 8601 time, or date for its end, UTC (default: now)',
      fieldOf(PrepaidQueryDto, 'at'),
    )
    .action(async ({ mode, at, ...format }: Options) => {
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetPrepaid(mode, at)));
      const head = `Prepaid money of ${moneyOf(mode)} partners, in NGN, at ${found.at}${asOfLabel(found.as_of_index)}; ages in whole days`;
      printReport({ columns: PREPAID_COLUMNS, rows: found.partners, view: prepaidView(found), head }, format);
    });
}
