import { csv } from '../../kernel/csv.js';
import { type PartnerStatement } from './get-statement.query.js';

const HEAD = ['line', 'recorded_at', 'item', 'count', 'amount', 'reference', 'reason', 'lookup_id', 'rupa_id'];

/** Returns a statement as CSV in NGN, one line per movement. The amounts before the last line sum to the closing balance in that line. */
export function statementCsv(found: PartnerStatement): string {
  const { month, opening_balance_kobo, credits, sections, pass_through, refunds, closing_balance_kobo } = found;
  return csv([
    HEAD,
    ['opening_balance', month.from, null, null, { kobo: opening_balance_kobo }, null, null, null, null],
    ...credits.map(({ recorded_at, amount_kobo, reference, reason }) => [
      'credit',
      recorded_at,
      null,
      1,
      { kobo: amount_kobo },
      reference,
      reason,
      null,
      null,
    ]),
    ...sections.map(({ section, count, amount_kobo }) => [
      'lookup_section',
      null,
      section,
      count,
      { kobo: -amount_kobo },
      null,
      null,
      null,
      null,
    ]),
    ...pass_through.map(({ provider, count, amount_kobo }) => [
      'pass_through',
      null,
      provider,
      count,
      { kobo: -amount_kobo },
      null,
      null,
      null,
      null,
    ]),
    ...refunds.map(({ recorded_at, amount_kobo, reason, lookup_id, rupa_id }) => [
      'refund',
      recorded_at,
      null,
      1,
      { kobo: amount_kobo },
      null,
      reason,
      lookup_id,
      rupa_id,
    ]),
    ['closing_balance', month.until, null, null, { kobo: closing_balance_kobo }, null, null, null, null],
  ]);
}
