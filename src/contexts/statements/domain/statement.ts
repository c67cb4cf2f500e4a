import { feeOf } from '../../wallet/domain/fees.js';

/** A credit or a refund. The amount is integer kobo above 0. */
interface Incoming {
  /** Revision of the wallet's entry. */
  readonly revision: number;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly amount_kobo: number;
  readonly reason: string | null;
}

export interface CreditLine extends Incoming {
  readonly reference: string;
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

/** The movements of a wallet in a month. */
export interface Movements {
  readonly credits: readonly CreditLine[];
  readonly lookups: number;
  readonly fees: readonly FeeTotal[];
  readonly refunds: readonly RefundLine[];
}

interface Charged {
  readonly count: number;
  readonly amount_kobo: number;
}

/** A month of a wallet. The opening balance plus credits and refunds, minus sections and pass-through fees, is the closing balance. */
export interface Statement {
  readonly opening_balance_kobo: number;
  readonly credits: readonly CreditLine[];
  readonly lookups: number;
  readonly sections: readonly (Charged & { readonly section: string })[];
  readonly pass_through: readonly (Charged & { readonly provider: string })[];
  readonly refunds: readonly RefundLine[];
  readonly totals_kobo: { readonly credits: number; readonly sections: number; readonly pass_through: number; readonly refunds: number };
  readonly closing_balance_kobo: number;
}

/** Returns a statement. @throws Error if the movements do not lead from one balance to the other: a wrong statement is worse than none. */
export function statement(opening_balance_kobo: number, movements: Movements, closing_balance_kobo: number): Statement {
  const { credits, lookups, refunds } = movements;
  const sections: (Charged & { section: string })[] = [];
  const pass_through: (Charged & { provider: string })[] = [];
  for (const { key, count, amount_kobo } of movements.fees) {
    const fee = feeOf(key);
    if (fee.kind === 'section') sections.push({ section: fee.section, count, amount_kobo });
    else pass_through.push({ provider: fee.provider, count, amount_kobo });
  }
  const totals_kobo = { credits: sum(credits), sections: sum(sections), pass_through: sum(pass_through), refunds: sum(refunds) };
  const expected_kobo = opening_balance_kobo + totals_kobo.credits - totals_kobo.sections - totals_kobo.pass_through + totals_kobo.refunds;
  if (expected_kobo !== closing_balance_kobo) {
    throw new Error(`The wallet's movements lead to a balance of ${expected_kobo} kobo, but its entries say ${closing_balance_kobo} kobo.`);
  }
  return { opening_balance_kobo, credits, lookups, sections, pass_through, refunds, totals_kobo, closing_balance_kobo };
}

function sum(lines: readonly { readonly amount_kobo: number }[]): number {
  return lines.reduce((total, { amount_kobo }) => total + amount_kobo, 0);
}
