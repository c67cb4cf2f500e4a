import { type Column, type Paper, type PaperTable, type Row } from '../../../http/pages/paper.js';
import { formatNaira } from '../../../kernel/money.js';
import { mapped } from '../../../platform/mapped.js';
import { type Head, type PartnerStatement } from './statements.js';
import { type StatementLine } from '../domain/statements/statement-lines.js';
import {
  asOfLabel,
  closingBalanceLabel,
  customerLabels,
  creditLabel,
  daysOf,
  documentName,
  headingOf,
  issuerLabel,
  lineLabel,
  statusLabel,
} from './statement-labels.js';

const TIME: Column = { head: 'Time (UTC)', kind: 'time' };
const QUANTITY: Column = { head: 'Quantity', kind: 'count' };
const RATE: Column = { head: 'VAT %', kind: 'count' };
const NGN: Column = { head: 'NGN', kind: 'number' };
const amount = (head: string): Column => ({ head, kind: 'amount' });
const SANDBOX = 'Sandbox: this is play money.';

/** Returns a statement as a document to print. Its tables are to be read once, in their order. */
export function statementPaper(found: PartnerStatement): Paper {
  const { statement_number, made_at, as_of_index, issuer, partner_id, customer, mode, status, month, lookups } = found;
  const name = documentName(found);
  const sandbox = mode === 'sandbox' ? [SANDBOX] : [];
  const issued = issuerLabel(issuer);
  return {
    title: `${name} ${statement_number ?? month.name}: ${customer.company_name}`,
    author: issuer.name,
    madeAt: made_at,
    heading: headingOf(found),
    whose: customer.company_name,
    facts: [
      ...customerLabels(customer).map((label) => [label]),
      [`Partner ${partner_id}`],
      [
        ...(statement_number === null ? ['Without a number'] : ['Number ', { code: statement_number }]),
        ', made ',
        { time: made_at },
        ` (UTC)${asOfLabel(as_of_index)}`,
      ],
      ...(issued === '' ? [] : [[issued]]),
      [`${daysOf(month)} (UTC), ${statusLabel(found)}; amounts in naira (NGN)`],
    ],
    notes: [...(status === 'closed' ? [] : ['The month is not closed, so this statement is preliminary and has no number.']), ...sandbox],
    parts: [
      summary(found),
      `${lookups} lookup${lookups === 1 ? ' was' : 's were'} charged, failed ones included. The prices include VAT. Refunds have negative quantities.`,
      ...details(found),
      heads(found),
    ],
    foot: [statement_number === null ? `${headingOf(found)}, not closed` : `${name} ${statement_number}`, ...sandbox].join('. '),
  };
}

function summary(found: PartnerStatement): PaperTable {
  const { opening_balance_kobo, totals_kobo, closing_balance_kobo } = found;
  const row = (name: string, kobo: number): Row => ({ cells: [name, naira(kobo)] });
  return {
    title: 'Summary',
    form: 'short',
    columns: [{ head: 'Movement' }, NGN],
    rows: [
      { ...row('Opening balance', opening_balance_kobo), isBalance: true },
      row('Money in', totals_kobo.credits),
      row('Fees', -totals_kobo.lines),
      { ...row(closingBalanceLabel(found), closing_balance_kobo), isBalance: true },
    ],
  };
}

function details({ lines, vat, credits, refunds, totals_kobo }: PartnerStatement): PaperTable[] {
  return [
    {
      title: 'Fees',
      form: 'stacked',
      columns: [{ head: 'Fee' }, QUANTITY, amount('Unit price'), RATE, amount('Net'), amount('VAT'), amount('Amount')],
      rows: lines.map((line) => ({ cells: lineCells(line) })),
      total: naira(totals_kobo.lines),
    },
    {
      title: 'VAT',
      form: 'short',
      columns: [{ head: 'VAT %' }, amount('Net'), amount('VAT'), amount('Gross')],
      rows: vat.map(({ vat_percent, net_kobo, vat_kobo, gross_kobo }) => ({
        cells: [String(vat_percent), naira(net_kobo), naira(vat_kobo), naira(gross_kobo)],
      })),
    },
    {
      title: 'Money in',
      form: 'stacked',
      intro: 'Reversals and payouts are negative. Bank fees and withheld tax are parts of the amounts.',
      columns: [TIME, { head: 'Reference' }, { head: 'Kind and reason' }, amount('Bank fee'), amount('Withheld tax'), amount('Amount')],
      rows: mapped(credits, (line) => ({
        cells: [
          line.recorded_at,
          line.reference,
          creditLabel(line),
          naira(line.bank_fee_kobo),
          naira(line.withheld_tax_kobo),
          naira(line.amount_kobo),
        ],
      })),
      total: naira(totals_kobo.credits),
    },
    {
      title: 'Refunds',
      form: 'movements',
      intro: 'The fees above contain these amounts with a minus sign.',
      columns: [TIME, { head: 'Lookup' }, { head: 'Reason' }, NGN],
      rows: mapped(refunds, ({ recorded_at, lookup_id, reason, amount_kobo }) => ({
        cells: [recorded_at, lookup_id, reason ?? '–', naira(amount_kobo)],
      })),
      total: naira(totals_kobo.refunds),
    },
  ];
}

function lineCells(line: StatementLine): readonly string[] {
  const { quantity, unit_price_kobo, vat_percent, net_kobo, vat_kobo, amount_kobo } = line;
  const amounts = [naira(net_kobo), naira(vat_kobo), naira(amount_kobo)];
  return [lineLabel(line), minus(withSeparators(quantity)), naira(unit_price_kobo), String(vat_percent), ...amounts];
}

/** Shows the wallet's heads, by which the statement can be compared with an export of the wallet. */
function heads({ opening_head, closing_head }: PartnerStatement): PaperTable {
  const row = (name: string, { revision, hash }: Head): Row => ({ cells: [name, String(revision), hash] });
  return {
    title: 'Wallet at opening and closing',
    form: 'stacked',
    intro: 'An export of the wallet has these hashes at these revisions.',
    columns: [{ head: 'At' }, { head: 'Revision', kind: 'number' }, { head: 'Hash', kind: 'code' }],
    rows: [row('Opening', opening_head), row('Closing', closing_head)],
  };
}

function naira(kobo: number): string {
  return minus(formatNaira(kobo));
}

function withSeparators(count: number): string {
  return formatNaira(BigInt(count) * 100n).slice(0, -'.00'.length);
}

/** Writes a minus sign (U+2212) instead of a hyphen. */
function minus(number: string): string {
  return number.replace('-', '−');
}
