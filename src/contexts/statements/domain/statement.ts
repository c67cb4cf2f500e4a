import { feeOf } from '../../wallet/domain/fees.js';

/** Money that came into the wallet in one go. Integer kobo, above 0. */
interface Receipt {
  /** Of its entry in the wallet. */
  readonly revision: number;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly amount_kobo: number;
  readonly reason: string | null;
}

export interface CreditLine extends Receipt {
  readonly reference: string;
}

export interface RefundLine extends Receipt {
  readonly lookup_id: string;
  readonly rupa_id: string;
}

/** What lookups were charged for one fee of the price book, refunded ones too. */
export interface FeeTotal {
  /** Such as `svc_fee.identity`. */
  readonly key: string;
  readonly count: number;
  readonly amount_kobo: number;
}

/** What happened in a month. */
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

/** A month of a wallet. Opening balance, credits and refunds, less sections and pass-through fees, come to the closing balance. */
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

/** @throws Error where the movements do not lead from one balance to the other: no statement is better than a wrong one. */
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
    throw new Error(`The wallet's movements come to ${expected_kobo} kobo where its entries say ${closing_balance_kobo}.`);
  }
  return { opening_balance_kobo, credits, lookups, sections, pass_through, refunds, totals_kobo, closing_balance_kobo };
}

function sum(lines: readonly { readonly amount_kobo: number }[]): number {
  return lines.reduce((total, { amount_kobo }) => total + amount_kobo, 0);
}
