import { type Unread } from '../../../http/validating/json-text.js';
import { toNaira } from '../../../kernel/money.js';
import { mapped } from '../../../platform/mapped.js';
import { type PartnerStatement } from './get-statement.query.js';
import { type StatementView } from './statement-responses.dto.js';

/** Returns a statement as the API shows it. Its lists are to be read in their order. */
export function statementView(found: PartnerStatement): Unread<StatementView> {
  const { statement_number, made_at, as_of_index, issuer, partner_id, company_name, mode, month, complete, totals_kobo } = found;
  return {
    statement_number,
    made_at,
    as_of_index,
    issuer,
    partner_id,
    company_name,
    mode,
    month: month.name,
    from: month.from,
    until: month.until,
    complete,
    currency: 'NGN',
    opening_head: found.opening_head,
    opening_balance: toNaira(found.opening_balance_kobo),
    credits: { total: toNaira(totals_kobo.credits), items: mapped(found.credits, inNaira) },
    lookups: { total: toNaira(totals_kobo.sections), count: found.lookups, sections: found.sections.map(inNaira) },
    pass_through: { total: toNaira(totals_kobo.pass_through), providers: found.pass_through.map(inNaira) },
    refunds: { total: toNaira(totals_kobo.refunds), items: mapped(found.refunds, inNaira) },
    closing_balance: toNaira(found.closing_balance_kobo),
    closing_head: found.closing_head,
  };
}

function inNaira<Line extends { readonly amount_kobo: number }>({
  amount_kobo,
  ...line
}: Line): Omit<Line, 'amount_kobo'> & { readonly amount: number } {
  return { ...line, amount: toNaira(amount_kobo) };
}
