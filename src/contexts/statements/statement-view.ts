import { toNaira } from '../../kernel/money.js';
import { type PartnerStatement } from './get-statement.query.js';

interface Receipt {
  readonly revision: number;
  readonly recorded_at: string;
  readonly amount: number;
  readonly reason: string | null;
}

/** Amounts in NGN; what look-ups cost is above 0, too. */
export interface StatementView {
  readonly partner_id: string;
  readonly company_name: string;
  readonly mode: string;
  readonly month: string;
  readonly from: string;
  readonly until: string;
  readonly complete: boolean;
  readonly currency: 'NGN';
  readonly opening_balance: number;
  readonly credits: { readonly total: number; readonly items: readonly (Receipt & { readonly reference: string })[] };
  readonly lookups: {
    readonly total: number;
    readonly count: number;
    readonly sections: readonly { readonly section: string; readonly count: number; readonly amount: number }[];
  };
  readonly pass_through: {
    readonly total: number;
    readonly providers: readonly { readonly provider: string; readonly count: number; readonly amount: number }[];
  };
  readonly refunds: {
    readonly total: number;
    readonly items: readonly (Receipt & { readonly lookup_id: string; readonly rupa_id: string })[];
  };
  readonly closing_balance: number;
}

export function statementView(found: PartnerStatement): StatementView {
  const { partner_id, company_name, mode, month, complete, totals_kobo } = found;
  return {
    partner_id,
    company_name,
    mode,
    month: month.name,
    from: month.from,
    until: month.until,
    complete,
    currency: 'NGN',
    opening_balance: toNaira(found.opening_balance_kobo),
    credits: { total: toNaira(totals_kobo.credits), items: found.credits.map(inNaira) },
    lookups: { total: toNaira(totals_kobo.sections), count: found.lookups, sections: found.sections.map(inNaira) },
    pass_through: { total: toNaira(totals_kobo.pass_through), providers: found.pass_through.map(inNaira) },
    refunds: { total: toNaira(totals_kobo.refunds), items: found.refunds.map(inNaira) },
    closing_balance: toNaira(found.closing_balance_kobo),
  };
}

function inNaira<Line extends { readonly amount_kobo: number }>({
  amount_kobo,
  ...line
}: Line): Omit<Line, 'amount_kobo'> & { readonly amount: number } {
  return { ...line, amount: toNaira(amount_kobo) };
}
