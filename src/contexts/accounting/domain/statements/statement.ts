import { type Mode } from '../../../../kernel/accounts.js';
import { type Deductions, type MoneyKind } from '../../../wallet/domain/events.js';
import { type Issuer } from '../events.js';
import { type Month } from '../month.js';
import { type FeeMovement, type StatementLine, statementLines, sumOf, type VatTotal, vatTotals } from './statement-lines.js';

/** A credit, a reversal of one, a payout, a refund or a compensation. The amount is integer kobo, below 0 for a reversal and a payout. */
interface Incoming {
  /** Revision of the wallet's entry. */
  readonly revision: number;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly amount_kobo: number;
  readonly reason: string | null;
}

/** Bank fee and withheld tax are parts of the amount, and have its sign. */
export interface CreditLine extends Incoming, Deductions {
  /** Kind of the credit, or of the credit that a reversal takes back, or a payout. */
  readonly kind: MoneyKind;
  readonly reference: string;
  /** Reference of the credit that a reversal takes back; null for a credit and a payout. */
  readonly credit_reference: string | null;
}

export interface RefundLine extends Incoming {
  readonly lookup_id: string;
  readonly rupa_id: string;
}

/** The sums of a wallet's movements in a month. */
export interface MovementTotals {
  readonly credits_kobo: number;
  readonly refunds_kobo: number;
  /** Number of lookups that were charged, including refunded ones. */
  readonly lookups: number;
  readonly fees: readonly FeeMovement[];
}

interface Charged {
  readonly count: number;
  readonly amount_kobo: number;
}

/** A month of a wallet, without its credits and refunds one by one. The opening balance plus credits, minus the lines, is the closing balance. */
export interface Statement {
  readonly opening_balance_kobo: number;
  readonly lookups: number;
  readonly lines: readonly StatementLine[];
  readonly vat: readonly VatTotal[];
  /** The charges by section, with those that were given back. */
  readonly sections: readonly (Charged & { readonly section: string })[];
  /** The fees passed through, by provider, with those that were given back. */
  readonly pass_through: readonly (Charged & { readonly provider: string })[];
  readonly totals_kobo: {
    readonly credits: number;
    readonly sections: number;
    readonly pass_through: number;
    readonly refunds: number;
    /** The sum of the lines: the charges less those that were given back. */
    readonly lines: number;
  };
  readonly closing_balance_kobo: number;
}

/** Returns a statement. @throws Error if the movements do not lead from one balance to the other: a wrong statement is worse than none. */
export function statement(opening_balance_kobo: number, movements: MovementTotals, closing_balance_kobo: number): Statement {
  const lines = statementLines(movements.fees);
  const charged = lines.filter(({ quantity }) => quantity > 0);
  const sections = totalsBy(charged, 'section');
  const pass_through = totalsBy(charged, 'provider');
  const totals_kobo = {
    credits: movements.credits_kobo,
    sections: sumOf(sections, 'amount_kobo'),
    pass_through: sumOf(pass_through, 'amount_kobo'),
    refunds: movements.refunds_kobo,
    lines: sumOf(lines, 'amount_kobo'),
  };
  const { credits, refunds } = totals_kobo;
  const expected_kobo = opening_balance_kobo + credits - totals_kobo.lines;
  if (expected_kobo !== closing_balance_kobo) {
    throw new Error(`The wallet's movements lead to a balance of ${expected_kobo} kobo, but its entries say ${closing_balance_kobo} kobo.`);
  }
  if (totals_kobo.lines !== totals_kobo.sections + totals_kobo.pass_through - refunds)
    throw new Error(`The statement's lines give back other fees than the ${refunds} kobo of its refunds.`);
  return {
    opening_balance_kobo,
    lookups: movements.lookups,
    lines,
    vat: vatTotals(lines),
    sections,
    pass_through,
    totals_kobo,
    closing_balance_kobo,
  };
}

/** Returns the number of a closed month's statement, such as `RUPA-202603-1001` (finance, "Statements and invoices"). */
export function statementNumber(prefix: string, month: Month, customerNumber: number): string {
  return `${prefix}-${month.name.replace('-', '')}-${customerNumber}`;
}

/** Returns whether a statement is a tax invoice (finance, "Statements and invoices"). */
export function isTaxInvoice({ lines }: Pick<Statement, 'lines'>, { tax_id }: Issuer, mode: Mode): boolean {
  return mode === 'live' && tax_id !== null && lines.some(({ vat_kobo }) => vat_kobo !== 0);
}

/** Yields the lines, whose amounts must sum to the total. @throws Error after the last line if they do not */
export async function* addingUpTo<Line extends { readonly amount_kobo: number }>(
  total_kobo: number,
  lines: AsyncIterable<Line>,
): AsyncGenerator<Line> {
  let sum_kobo = 0;
  for await (const line of lines) {
    sum_kobo += line.amount_kobo;
    yield line;
  }
  if (sum_kobo !== total_kobo) throw new Error(`The statement lists ${sum_kobo} kobo, but its total is ${total_kobo} kobo.`);
}

/** Sums the lines that have the field, by its values, in the order of the lines. */
function totalsBy<Field extends 'section' | 'provider'>(
  lines: readonly StatementLine[],
  field: Field,
): (Charged & { readonly [Name in Field]: string })[] {
  return [...Map.groupBy(lines, (line) => line[field])].flatMap(([name, of]) => {
    if (name === null) return [];
    const named = { [field]: name } as { readonly [Name in Field]: string };
    return [{ ...named, count: sumOf(of, 'quantity'), amount_kobo: sumOf(of, 'amount_kobo') }];
  });
}
