import { QueryBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { farmerReportPage } from '../../contexts/farmers/farmer-report-page.js';
import { type FarmerReport } from '../../contexts/farmers/farmer-report-responses.dto.js';
import { GetFarmerReport } from '../../contexts/farmers/get-farmer-report.query.js';
import { printText, printable, table } from '../support/output.js';
import { rupaId } from '../support/rupa-id.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

type Format = 'text' | 'html' | 'json';

export function reportFarmer(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('report')
    .reads()
    .description(
      'print which partners hold a farmer’s consent, looked up which sections when, and reported what; also for an erased farmer',
    )
    .argument('<rupa-id>', 'Rupa ID of the farmer', rupaId)
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'html', 'json']).default('text'))
    .option('--json', 'the same as --format json')
    .action(async (rupa_id: string, { format, json }: { format: Format; json?: boolean }) => {
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetFarmerReport(rupa_id)));
      printText(formatted(found, json ? 'json' : format));
    });
}

function formatted(found: FarmerReport, format: Format): string {
  switch (format) {
    case 'text':
      return reportText(found);
    case 'html':
      return farmerReportPage(found);
    case 'json':
      return `${JSON.stringify(found)}\n`;
  }
}

function reportText({ rupa_id, mode, registered_at, erased_at, made_at, consents, lookups, reports }: FarmerReport): string {
  const who = ({ company_name, account_type }: { readonly company_name: string; readonly account_type: string }): string[] => [
    printable(company_name),
    account_type,
  ];
  return `${[
    `Farmer ${rupa_id} (${mode}), registered ${registered_at}${erased_at === null ? '' : `, erased ${erased_at}`}; data up to ${made_at}`,
    part(
      'Consents held',
      ['granted', 'partner', 'kind', 'purpose', 'lookups', 'last lookup'],
      consents.map((each) => [each.granted_at, ...who(each), printable(each.source), each.access_count, each.last_accessed_at]),
    ),
    part(
      'Lookups',
      ['time', 'partner', 'kind', 'purpose', 'sections'],
      lookups.map((each) => [
        each.looked_up_at,
        ...who(each),
        printable(each.source),
        `${each.sections.join(', ')}${each.refunded ? ' (refunded: the response failed)' : ''}`,
      ]),
    ),
    part(
      'Reports',
      ['occurred', 'partner', 'kind', 'what'],
      reports.map((each) => [each.occurred_at, ...who(each), each.event]),
    ),
  ].join('\n\n')}\n`;
}

function part(title: string, head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return `${title}\n${rows.length === 0 ? 'none' : table(head, rows)}`;
}
