import { type CsvCell, csvLine } from '../../../kernel/csv.js';
import { LEGAL_FIELDS } from '../../partners/public.js';
import { type StatementLine } from '../domain/statements/statement-lines.js';
import { lineLabel } from './statement-labels.js';
import { type PartnerStatement } from './statements.js';

const COLUMNS = [
  'line',
  'recorded_at',
  'item',
  'count',
  'amount',
  'reference',
  'reason',
  'lookup_id',
  'rupa_id',
  'revision',
  'hash',
  'credit_reference',
  'label',
  'unit_price',
  'vat_percent',
  'net',
  'vat',
  'gross',
  'bank_fee',
  'withheld_tax',
] as const;
type Cells = Readonly<Partial<Record<(typeof COLUMNS)[number], CsvCell>>>;

/**
 * Yields a statement as CSV in NGN: lines about the statement, then one line per movement between the two balances, and what explains them.
 * `amount` is the change of the balance, so the amounts before the last line sum to the closing balance in that line. `gross` is that of the
 * document: positive for what is charged. The refunds one by one have no amount, because the lines contain them.
 */
export async function* statementCsv(found: PartnerStatement): AsyncGenerator<string> {
  const { month, credits, lines, vat, refunds, opening_head, closing_head } = found;
  yield csvLine(COLUMNS);
  for (const cells of about(found)) yield line(cells);
  yield line({ line: 'opening_balance', recorded_at: month.from, amount: { kobo: found.opening_balance_kobo }, ...opening_head });
  for await (const { amount_kobo, kind, bank_fee_kobo, withheld_tax_kobo, ...rest } of credits)
    yield line({
      line: 'credit',
      item: kind,
      count: 1,
      amount: { kobo: amount_kobo },
      bank_fee: { kobo: bank_fee_kobo },
      withheld_tax: { kobo: withheld_tax_kobo },
      ...rest,
    });
  for (const each of lines) yield line(lineCells(each));
  for (const { vat_percent, net_kobo, vat_kobo, gross_kobo } of vat)
    yield line({ line: 'vat', vat_percent, net: { kobo: net_kobo }, vat: { kobo: vat_kobo }, gross: { kobo: gross_kobo } });
  for await (const { amount_kobo, recorded_at, reason, lookup_id, rupa_id, revision } of refunds)
    yield line({ line: 'refund', recorded_at, count: 1, gross: { kobo: -amount_kobo }, reason, lookup_id, rupa_id, revision });
  yield line({ line: 'closing_balance', recorded_at: month.until, amount: { kobo: found.closing_balance_kobo }, ...closing_head });
}

function lineCells(of: StatementLine): Cells {
  return {
    line: lineOf(of),
    item: of.section ?? of.provider,
    label: lineLabel(of),
    count: of.quantity,
    amount: { kobo: -of.amount_kobo },
    unit_price: { kobo: of.unit_price_kobo },
    vat_percent: of.vat_percent,
    net: { kobo: of.net_kobo },
    vat: { kobo: of.vat_kobo },
    gross: { kobo: of.amount_kobo },
  };
}

function lineOf({ section, provider }: StatementLine): string {
  if (section !== null) return 'lookup_section';
  return provider === null ? 'refund_without_fees' : 'pass_through';
}

function about({ statement_number, is_tax_invoice, status, made_at, as_of_index, mode, issuer, customer }: PartnerStatement): Cells[] {
  const facts = [
    ['heading', is_tax_invoice ? 'tax_invoice' : 'statement'],
    ['period', status],
    ['as_of_index', as_of_index === null ? null : String(as_of_index)],
    ['mode', mode],
    ['issuer_name', issuer.name],
    ['issuer_address', issuer.address],
    ['issuer_tax_id', issuer.tax_id],
    ['customer_number', String(customer.number)],
    ['company_name', customer.company_name],
    ...LEGAL_FIELDS.map((field) => [`legal_${field}`, customer.legal[field]] as const),
  ] as const;
  return [
    { line: 'statement', recorded_at: made_at, item: statement_number },
    ...facts.flatMap(([name, item]) => (item === null ? [] : [{ line: name, item }])),
  ];
}

function line(cells: Cells): string {
  return csvLine(COLUMNS.map((column) => cells[column] ?? null));
}
