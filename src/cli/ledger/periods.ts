import { QueryBus } from '@nestjs/cqrs';
import { GetPeriods } from '../../contexts/accounting/closing/get-periods.query.js';
import { PERIOD_COLUMNS, periodsView } from '../../contexts/accounting/closing/period-view.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { addReportOptions, moneyOf, printReport, type ReportOptions } from './report.js';

export function listPeriods(command: RupaCommand, runtime: CommandRuntime): void {
  addReportOptions(command.reads()).action(async ({ mode, ...format }: ReportOptions) => {
    const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetPeriods(mode)));
    const head = `Months (UTC) of the ${moneyOf(mode)} books`;
    printReport({ columns: PERIOD_COLUMNS, rows: found.periods, view: periodsView(found), head }, format);
  });
}
