import { QueryBus } from '@nestjs/cqrs';
import { farmerReportPage } from '../../contexts/farmers/subject-report/farmer-report-page.js';
import { GetFarmerReport, type UnreadFarmerReport } from '../../contexts/farmers/subject-report/get-farmer-report.query.js';
import { jsonText } from '../../http/validating/json-text.js';
import { mapped } from '../../platform/mapped.js';
import { table } from '../support/table.js';
import { writeToStdout } from '../support/write-output.js';
import { rupaId } from '../support/values.js';
import { addFormats, formatOf, type FormatOptions } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const FORMATS = ['text', 'html', 'json'] as const;
type Format = (typeof FORMATS)[number];

export function reportFarmer(command: RupaCommand, runtime: CommandRuntime): void {
  addFormats(command, FORMATS)
    .reads()
    .argument('<rupa-id>', 'Rupa ID of the farmer', rupaId)
    .action(async (rupa_id: string, options: FormatOptions<Format>) => {
      await runtime.withApplication(async (app) => {
        await using found = await app.get(QueryBus).execute(new GetFarmerReport(rupa_id));
        await writeToStdout(formatted(found, formatOf(options)));
      });
    });
}

async function* formatted(found: UnreadFarmerReport, format: Format): AsyncGenerator<string> {
  switch (format) {
    case 'text':
      yield* reportText(found);
      return;
    case 'html':
      yield* farmerReportPage(found);
      return;
    case 'json':
      yield* jsonText(found);
      yield '\n';
  }
}

async function* reportText(found: UnreadFarmerReport): AsyncGenerator<string> {
  const { rupa_id, mode, registered_at, erased_at, made_at, consents, lookups, reports } = found;
  const who = ({ company_name, account_type }: { readonly company_name: string; readonly account_type: string }): string[] => [
    company_name,
    account_type,
  ];
  yield `Farmer ${rupa_id} (${mode}), registered ${registered_at}${erased_at === null ? '' : `, erased ${erased_at}`}; data up to ${made_at}`;
  yield await part(
    'Consents held',
    ['granted', 'partner', 'kind', 'purpose', 'lookups', 'last lookup'],
    mapped(consents, (each) => [each.granted_at, ...who(each), each.source, each.access_count, each.last_accessed_at]),
  );
  yield await part(
    'Lookups',
    ['time', 'partner', 'kind', 'purpose', 'sections'],
    mapped(lookups, (each) => [
      each.looked_up_at,
      ...who(each),
      each.source,
      `${each.sections.join(', ')}${each.refunded ? ' (refunded: the response failed)' : ''}`,
    ]),
  );
  yield await part(
    'Reports',
    ['occurred', 'partner', 'kind', 'what'],
    mapped(reports, (each) => [each.occurred_at, ...who(each), each.event]),
  );
  yield '\n';
}

/** Returns a titled table. All of its rows are in memory, because a column is as wide as its widest cell. */
async function part(title: string, head: readonly string[], lines: AsyncIterable<readonly (string | number)[]>): Promise<string> {
  const rows = await Array.fromAsync(lines);
  return `\n\n${title}\n${rows.length === 0 ? 'none' : table(head, rows)}`;
}
