import { QueryBus } from '@nestjs/cqrs';
import { type Month } from '../../contexts/accounting/domain/month.js';
import { GetStatement } from '../../contexts/accounting/statements/get-statement.query.js';
import { type PartnerStatement } from '../../contexts/accounting/statements/statements.js';
import { statementCsv } from '../../contexts/accounting/statements/statement-csv.js';
import { statementPaper } from '../../contexts/accounting/statements/statement-paper.js';
import { statementView } from '../../contexts/accounting/statements/statement-view.js';
import {
  asOfLabel,
  closingBalanceLabel,
  customerLabels,
  creditLabel,
  daysOf,
  headingOf,
  issuerLabel,
  lineLabel,
  statusLabel,
} from '../../contexts/accounting/statements/statement-labels.js';
import { paperPage } from '../../http/pages/paper-page.js';
import { paperPdf } from '../../http/pages/pdf/paper-pdf.js';
import { formatNaira } from '../../kernel/money.js';
import { jsonText } from '../../http/validating/json-text.js';
import { addFormats, formatOf, type FormatOptions, printable } from '../support/output.js';
import { table } from '../support/table.js';
import { writeToStdout } from '../support/write-output.js';
import { id, month } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const FORMATS = ['text', 'csv', 'html', 'pdf', 'json'] as const;
type Format = (typeof FORMATS)[number];

export function walletStatement(command: RupaCommand, runtime: CommandRuntime): void {
  addFormats(command, FORMATS)
    .reads()
    .argument('<partner>', 'id of the partner', id)
    .argument('<month>', 'month in UTC, such as 2026-03', month)
    .action(async (partnerId: string, of: Month, options: FormatOptions<Format>) => {
      const format = formatOf(options);
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
  const { lines, vat, totals_kobo } = found;
  // A column is as wide as its widest cell.
  const [credits, refunds] = [await Array.fromAsync(found.credits), await Array.fromAsync(found.refunds)];
  const summary = [
    ['opening balance', formatNaira(found.opening_balance_kobo)],
    ['money in', formatNaira(totals_kobo.credits)],
    ['fees', formatNaira(-totals_kobo.lines)],
    [closingBalanceLabel(found).toLowerCase(), formatNaira(found.closing_balance_kobo)],
  ];
  const parts = [
    headOf(found),
    table(['', 'NGN'], summary, [1]),
    part(
      ['fee', 'quantity', 'unit price', 'VAT %', 'net', 'VAT', 'amount'],
      lines.map((line) => [
        lineLabel(line),
        line.quantity,
        formatNaira(line.unit_price_kobo),
        line.vat_percent,
        formatNaira(line.net_kobo),
        formatNaira(line.vat_kobo),
        formatNaira(line.amount_kobo),
      ]),
      [1, 2, 3, 4, 5, 6],
    ),
    part(
      ['VAT %', 'net', 'VAT', 'gross'],
      vat.map((line) => [line.vat_percent, formatNaira(line.net_kobo), formatNaira(line.vat_kobo), formatNaira(line.gross_kobo)]),
      [0, 1, 2, 3],
    ),
    part(
      ['money in at', 'reference', 'kind and reason', 'bank fee', 'withheld tax', 'amount'],
      credits.map((line) => [
        line.recorded_at,
        line.reference,
        creditLabel(line),
        formatNaira(line.bank_fee_kobo),
        formatNaira(line.withheld_tax_kobo),
        formatNaira(line.amount_kobo),
      ]),
      [3, 4, 5],
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

function headOf(found: PartnerStatement): string {
  const { statement_number, made_at, as_of_index, issuer, customer, partner_id, month, lookups, mode } = found;
  return [
    `${headingOf(found)}: ${customer.company_name} (${partner_id})`,
    ...customerLabels(customer),
    `${statement_number === null ? 'Without a number' : `Number ${statement_number}`}, made ${made_at}${asOfLabel(as_of_index)}`,
    issuerLabel(issuer),
    `${daysOf(month)} (UTC), ${statusLabel(found)}; ${lookups} lookups charged${mode === 'sandbox' ? '; sandbox, play money' : ''}`,
  ]
    .filter((line) => line !== '')
    .map(printable)
    .join('\n');
}

function part(head: readonly string[], rows: readonly (readonly (string | number)[])[], rightAligned: readonly number[]): string {
  return rows.length === 0 ? '' : table(head, rows, rightAligned);
}
