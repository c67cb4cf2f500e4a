import { type Unread } from '../../../http/validating/json-text.js';
import { toNaira } from '../../../kernel/money.js';
import { mapped } from '../../../platform/mapped.js';
import { dayBefore } from '../domain/books-period.js';
import { type CreditLine } from '../domain/statements/statement.js';
import { type StatementLine, type VatTotal } from '../domain/statements/statement-lines.js';
import { lineLabel } from './statement-labels.js';
import { type StatementCredit, type StatementLineView, type StatementVat, type StatementView } from './statement-responses.dto.js';
import { type PartnerStatement } from './statements.js';

/** Returns a statement as the API shows it. Its lists are to be read in their order. */
export function statementView(found: PartnerStatement): Unread<StatementView> {
  const { statement_number, is_tax_invoice, status, made_at, as_of_index, issuer, partner_id, customer, mode, month, totals_kobo } = found;
  return {
    statement_number,
    is_tax_invoice,
    period: { status, from: month.from.slice(0, 'yyyy-mm-dd'.length), to: dayBefore(month.until) },
    made_at,
    as_of_index,
    issuer,
    customer,
    partner_id,
    company_name: customer.company_name,
    mode,
    month: month.name,
    from: month.from,
    until: month.until,
    complete: status === 'closed',
    currency: 'NGN',
    opening_head: found.opening_head,
    opening_balance: toNaira(found.opening_balance_kobo),
    lines: found.lines.map(lineView),
    vat: found.vat.map(vatView),
    credits: { total: toNaira(totals_kobo.credits), items: mapped(found.credits, creditView) },
    lookups: { total: toNaira(totals_kobo.sections), count: found.lookups, sections: found.sections.map(inNaira) },
    pass_through: { total: toNaira(totals_kobo.pass_through), providers: found.pass_through.map(inNaira) },
    refunds: { total: toNaira(totals_kobo.refunds), items: mapped(found.refunds, inNaira) },
    closing_balance: toNaira(found.closing_balance_kobo),
    closing_head: found.closing_head,
  };
}

function lineView(line: StatementLine): StatementLineView {
  const { section, provider, quantity, unit_price_kobo, vat_percent, net_kobo, vat_kobo, amount_kobo } = line;
  return {
    section,
    provider,
    label: lineLabel(line),
    quantity,
    unit_price: toNaira(unit_price_kobo),
    vat_percent,
    net: toNaira(net_kobo),
    vat: toNaira(vat_kobo),
    amount: toNaira(amount_kobo),
  };
}

function vatView({ vat_percent, net_kobo, vat_kobo, gross_kobo }: VatTotal): StatementVat {
  return { vat_percent, net: toNaira(net_kobo), vat: toNaira(vat_kobo), gross: toNaira(gross_kobo) };
}

function creditView({ bank_fee_kobo, withheld_tax_kobo, ...line }: CreditLine): StatementCredit {
  return { ...inNaira(line), bank_fee: toNaira(bank_fee_kobo), withheld_tax: toNaira(withheld_tax_kobo) };
}

function inNaira<Line extends { readonly amount_kobo: number }>({
  amount_kobo,
  ...line
}: Line): Omit<Line, 'amount_kobo'> & { readonly amount: number } {
  return { ...line, amount: toNaira(amount_kobo) };
}
