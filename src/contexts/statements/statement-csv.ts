import { csvLine } from '../../kernel/csv.js';
import { type PartnerStatement } from './get-statement.query.js';

const HEAD = ['line', 'recorded_at', 'item', 'count', 'amount', 'reference', 'reason', 'lookup_id', 'rupa_id'];

/** Yields a statement as CSV in NGN, one line per movement. The amounts before the last line sum to the closing balance in that line. */
export async function* statementCsv(found: PartnerStatement): AsyncGenerator<string> {
  const { month, opening_balance_kobo, credits, sections, pass_through, refunds, closing_balance_kobo } = found;
  yield csvLine(HEAD);
  yield csvLine(['opening_balance', month.from, null, null, { kobo: opening_balance_kobo }, null, null, null, null]);
  for await (const { recorded_at, amount_kobo, reference, reason } of credits)
    yield csvLine(['credit', recorded_at, null, 1, { kobo: amount_kobo }, reference, reason, null, null]);
  for (const { section, count, amount_kobo } of sections)
    yield csvLine(['lookup_section', null, section, count, { kobo: -amount_kobo }, null, null, null, null]);
  for (const { provider, count, amount_kobo } of pass_through)
    yield csvLine(['pass_through', null, provider, count, { kobo: -amount_kobo }, null, null, null, null]);
  for await (const { recorded_at, amount_kobo, reason, lookup_id, rupa_id } of refunds)
    yield csvLine(['refund', recorded_at, null, 1, { kobo: amount_kobo }, null, reason, lookup_id, rupa_id]);
  yield csvLine(['closing_balance', month.until, null, null, { kobo: closing_balance_kobo }, null, null, null, null]);
}
