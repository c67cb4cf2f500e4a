import { QueryBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { type Month } from '../../contexts/accounting/domain/month.js';
import { GetStatement, type PartnerStatement } from '../../contexts/accounting/statements/get-statement.query.js';
import { statementCsv } from '../../contexts/accounting/statements/statement-csv.js';
import { statementPaper } from '../../contexts/accounting/statements/statement-paper.js';
import { statementView } from '../../contexts/accounting/statements/statement-view.js';
import {
  asOfLabel,
  closingBalanceLabel,
  creditLabel,
  daysOf,
  issuerLabel,
  monthName,
} from '../../contexts/accounting/statements/statement-labels.js';
import { paperPage } from '../../http/pages/paper-page.js';
import { paperPdf } from '../../http/pages/pdf/paper-pdf.js';
import { formatNaira } from '../../kernel/money.js';
import { jsonText } from '../../http/validating/json-text.js';
import { printable } from '../support/output.js';
import { table } from '../support/table.js';
import { writeToStdout } from '../support/write-output.js';
import { id, month } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

type Format = 'text' | 'csv' | 'html' | 'pdf' | 'json';

export function walletStatement(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<partner>', 'id of the partner', id)
    .argument('<month>', 'month in UTC, such as 2026-03', month)
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'csv', 'html', 'pdf', 'json']).default('text'))
    .action(async (partnerId: string, of: Month, { format }: { format: Format }) => {
      if (format === 'pdf' && process.stdout.isTTY) throw new Error('A PDF is no text: redirect it to a file, such as > statement.pdf.');
      await runtime.withApplication(async (app) => {
        await using found = await app.get(QueryBus).execute(new GetStatement(partnerId, of));
        await writeToStdout(formatted(found, format));
      });
    });
}

async function* formatted(found: PartnerStatement, format: Format): AsyncGenerator<string | Buffer> {
  switch (format) {
    case 'text':
      yield await statementText(found);
      return;
    case 'csv':
      yield* statementCsv(found);
      return;
    case 'html':
      yield* paperPage(statementPaper(found));
      return;
    case 'pdf':
      yield* paperPdf(statementPaper(found));
      return;
    case 'json':
      yield* jsonText(statementView(found));
      yield '\n';
  }
}

async function statementText(found: PartnerStatement): Promise<string> {
  const { sections, pass_through, totals_kobo } = found;
  // A column is as wide as its widest cell.
  const [credits, refunds] = [await Array.fromAsync(found.credits), await Array.fromAsync(found.refunds)];
  const summary = [
    ['opening balance', formatNaira(found.opening_balance_kobo)],
    ['credits', formatNaira(totals_kobo.credits)],
    ['lookups', formatNaira(-totals_kobo.sections)],
    ['pass-through fees', formatNaira(-totals_kobo.pass_through)],
    ['refunds', formatNaira(totals_kobo.refunds)],
    [closingBalanceLabel(found).toLowerCase(), formatNaira(found.closing_balance_kobo)],
  ];
  const parts = [
    headOf(found),
    table(['', 'NGN'], summary, [1]),
    part(
      ['credited at', 'reference', 'kind and reason', 'NGN'],
      credits.map((line) => [line.recorded_at, line.reference, creditLabel(line), formatNaira(line.amount_kobo)]),
      [3],
    ),
    part(
      ['section', 'times', 'NGN'],
      sections.map((line) => [line.section, line.count, formatNaira(-line.amount_kobo)]),
      [1, 2],
    ),
    part(
      ['provider', 'times', 'NGN'],
      pass_through.map((line) => [line.provider, line.count, formatNaira(-line.amount_kobo)]),
      [1, 2],
    ),
    part(
      ['refunded at', 'lookup', 'reason', 'NGN'],
      refunds.map((line) => [line.recorded_at, line.lookup_id, line.reason ?? '', formatNaira(line.amount_kobo)]),
      [3],
    ),
    table(
      ['wallet at', 'revision', 'hash'],
      [
        ['opening', found.opening_head.revision, found.opening_head.hash],
        ['closing', found.closing_head.revision, found.closing_head.hash],
      ],
      [1],
    ),
  ];
  return `${parts.filter((text) => text !== '').join('\n\n')}\n`;
}

function headOf({
  statement_number,
  made_at,
  as_of_index,
  issuer,
  company_name,
  partner_id,
  month,
  lookups,
  complete,
  mode,
}: PartnerStatement): string {
  const notes = [`${lookups} lookups charged`, ...(complete ? [] : ['the month is not closed yet'])];
  return [
    `Wallet statement, ${monthName(month)}: ${printable(company_name)} (${partner_id})`,
    `Statement ${statement_number}, made ${made_at}${asOfLabel(as_of_index)}`,
    printable(issuerLabel(issuer)),
    `${daysOf(month)} (UTC), ${[...notes, ...(mode === 'sandbox' ? ['sandbox, play money'] : [])].join('; ')}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function part(head: readonly string[], rows: readonly (readonly (string | number)[])[], rightAligned: readonly number[]): string {
  return rows.length === 0 ? '' : table(head, rows, rightAligned);
}
