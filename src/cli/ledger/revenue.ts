import { QueryBus } from '@nestjs/cqrs';
import { GetRevenue } from '../../contexts/accounting/books/get-revenue.query.js';
import { revenueColumns, RevenueQueryDto, revenueView } from '../../contexts/accounting/books/revenue.dto.js';
import { type RevenueGroup } from '../../contexts/accounting/domain/revenue.js';
import { asOfLabel } from '../../contexts/accounting/statements/statement-labels.js';
import { validateBody } from '../../http/validating/validation.js';
import { fieldOf } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { addPeriodReportOptions, type PeriodReportOptions, moneyOf, printReport } from './report.js';

interface Options extends PeriodReportOptions {
  readonly by?: readonly RevenueGroup[];
}

export function revenue(command: RupaCommand, runtime: CommandRuntime): void {
  addPeriodReportOptions(command.reads())
    .option('--by <groups>', 'section, partner, month or day; several with commas (default: section)', fieldOf(RevenueQueryDto, 'by'))
    .action(async ({ mode, format, json, ...asked }: Options) => {
      const { by, ...period } = validateBody(RevenueQueryDto, asked);
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetRevenue(mode, period, by)));
      const days = found.from === null ? `up to ${found.to}` : `from ${found.from} to ${found.to}`;
      const head = `Revenue of ${moneyOf(mode)} lookups, in NGN, ${days} (UTC)${asOfLabel(found.as_of_index)}`;
      const report = { columns: revenueColumns(found.by), rows: found.groups, view: revenueView(found), head };
      printReport(report, { format, json });
    });
}
