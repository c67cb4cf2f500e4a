import { type MoneyKind } from '../../wallet/domain/events.js';
import { feeOf } from '../../wallet/domain/fees.js';

/** A credit, a reversal of one, a payout, a refund or a compensation. The amount is integer kobo, below 0 for a reversal and a payout. */
interface Incoming {
  /** Revision of the wallet's entry. */
  readonly revision: number;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly amount_kobo: number;
  readonly reason: string | null;
}

export interface CreditLine extends Incoming {
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

/** The total that lookups were charged for one fee of the price book, including refunded lookups. */
export interface FeeTotal {
  /** Fee key, such as `svc_fee.identity`. */
  readonly key: string;
  readonly count: number;
  readonly amount_kobo: number;
}

/** The sums of a wallet's movements in a month. */
export interface MovementTotals {
  readonly credits_kobo: number;
  readonly refunds_kobo: number;
  /** Number of lookups that were charged, including refunded ones. */
  readonly lookups: number;
  readonly fees: readonly FeeTotal[];
}

interface Charged {
  readonly count: number;
  readonly amount_kobo: number;
}

/** A month of a wallet, without its credits and refunds one by one. The opening balance plus credits and refunds, minus sections and pass-through fees, is the closing balance. */
export interface Statement {
  readonly opening_balance_kobo: number;
  readonly lookups: number;
  readonly sections: readonly (Charged & { readonly section: string })[];
  readonly pass_through: readonly (Charged & { readonly provider: string })[];
  readonly totals_kobo: { readonly credits: number; readonly sections: number; readonly pass_through: number; readonly refunds: number };
  readonly closing_balance_kobo: number;
}

/** Returns a statement. @throws Error if the movements do not lead from one balance to the other: a wrong statement is worse than none. */
export function statement(opening_balance_kobo: number, movements: MovementTotals, closing_balance_kobo: number): Statement {
  const sections: (Charged & { section: string })[] = [];
  const pass_through: (Charged & { provider: string })[] = [];
  for (const { key, count, amount_kobo } of movements.fees) {
    const fee = feeOf(key);
    if (fee.kind === 'section') sections.push({ section: fee.section, count, amount_kobo });
    else pass_through.push({ provider: fee.provider, count, amount_kobo });
  }
  const totals_kobo = {
    credits: movements.credits_kobo,
    sections: sum(sections),
    pass_through: sum(pass_through),
    refunds: movements.refunds_kobo,
  };
  const expected_kobo = opening_balance_kobo + totals_kobo.credits - totals_kobo.sections - totals_kobo.pass_through + totals_kobo.refunds;
  if (expected_kobo !== closing_balance_kobo) {
    throw new Error(`The wallet's movements lead to a balance of ${expected_kobo} kobo, but its entries say ${closing_balance_kobo} kobo.`);
  }
  return { opening_balance_kobo, lookups: movements.lookups, sections, pass_through, totals_kobo, closing_balance_kobo };
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

function sum(lines: readonly { readonly amount_kobo: number }[]): number {
  return lines.reduce((total, { amount_kobo }) => total + amount_kobo, 0);
}
