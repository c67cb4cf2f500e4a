import { type CsvCell, csvLine } from '../../../kernel/csv.js';
import { type PartnerStatement } from './get-statement.query.js';

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
] as const;
type Cells = Readonly<Partial<Record<(typeof COLUMNS)[number], CsvCell>>>;

/**
 * Yields a statement as CSV in NGN: lines about the statement, then one line per movement between the two balances. The amounts before the
 * last line sum to the closing balance in that line.
 */
export async function* statementCsv(found: PartnerStatement): AsyncGenerator<string> {
  const { month, credits, sections, pass_through, refunds, opening_head, closing_head } = found;
  yield csvLine(COLUMNS);
  for (const cells of about(found)) yield line(cells);
  yield line({ line: 'opening_balance', recorded_at: month.from, amount: { kobo: found.opening_balance_kobo }, ...opening_head });
  for await (const { amount_kobo, kind, ...rest } of credits)
    yield line({ line: 'credit', item: kind, count: 1, amount: { kobo: amount_kobo }, ...rest });
  for (const { section, count, amount_kobo } of sections)
    yield line({ line: 'lookup_section', item: section, count, amount: { kobo: -amount_kobo } });
  for (const { provider, count, amount_kobo } of pass_through)
    yield line({ line: 'pass_through', item: provider, count, amount: { kobo: -amount_kobo } });
  for await (const { amount_kobo, recorded_at, reason, lookup_id, rupa_id, revision } of refunds)
    yield line({ line: 'refund', recorded_at, count: 1, amount: { kobo: amount_kobo }, reason, lookup_id, rupa_id, revision });
  yield line({ line: 'closing_balance', recorded_at: month.until, amount: { kobo: found.closing_balance_kobo }, ...closing_head });
}

function about({ statement_number, made_at, as_of_index, mode, issuer }: PartnerStatement): Cells[] {
  const facts = [
    ['issuer_name', issuer.name],
    ['issuer_address', issuer.address],
    ['issuer_tax_id', issuer.tax_id],
  ] as const;
  return [
    { line: 'statement', recorded_at: made_at, item: statement_number },
    ...(as_of_index === null ? [] : [{ line: 'as_of_index', item: String(as_of_index) }]),
    { line: 'mode', item: mode },
    ...facts.flatMap(([name, item]) => (item === null ? [] : [{ line: name, item }])),
  ];
}

function line(cells: Cells): string {
  return csvLine(COLUMNS.map((column) => cells[column] ?? null));
}
