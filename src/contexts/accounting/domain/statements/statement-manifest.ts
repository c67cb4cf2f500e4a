import { type Mode } from '../../../../kernel/accounts.js';
import { type RawNumber, sumInNaira, toKobo } from '../../../../kernel/money.js';
import { type Account } from '../chart-of-accounts.js';
import { type PeriodClosed } from '../events.js';

/** A month of the books that was closed, with the totals of its accounts. */
export type ClosedMonth = PeriodClosed['data'];

/** The month, close and format that all statements of a run have in common. */
export interface RunHead {
  /** Month in UTC, such as 2026-03. */
  readonly period: string;
  readonly mode: Mode;
  /** ISO 8601, UTC. */
  readonly closed_at: string;
  /** Index of the last event of the log that the close read; null if it was not known. */
  readonly index: number | null;
  readonly format: string;
}

/** A partner's statement as the manifest lists it. Amounts are NGN; net, VAT and gross are those of what was charged less what was given back. */
export interface ListedStatement {
  readonly statement_number: string;
  readonly partner_id: string;
  readonly customer_number: number;
  readonly company_name: string;
  /** Name of the statement's file. */
  readonly file: string;
  readonly bytes: number;
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly sha256: string;
  readonly opening_balance: number;
  readonly closing_balance: number;
  readonly net: number;
  readonly vat: number;
  readonly gross: number;
}

export const LISTED_AMOUNTS = ['opening_balance', 'closing_balance', 'net', 'vat', 'gross'] as const;
type ListedAmount = (typeof LISTED_AMOUNTS)[number];

/** The sums of a run's statements. JSON writes those in NGN exactly, also above the exact range of numbers. */
type RunTotals = Readonly<Record<ListedAmount, number | RawNumber>> & { readonly count: number; readonly bytes: number };

/** The list of a run's statements, which stands beside them (finance, "Statements and invoices"). */
export interface Manifest extends RunHead {
  /** By customer number. */
  readonly statements: readonly ListedStatement[];
  readonly totals: RunTotals;
}

/** Name of the manifest's file. */
export const MANIFEST_FILE = 'manifest.json';

const PARTNER_BALANCES: Account = 'partner_balances';

export function headOf({ period, mode, recorded_at, index }: ClosedMonth, format: string): RunHead {
  return { period, mode, closed_at: recorded_at, index, format };
}

/**
 * Returns the manifest of all statements of a closed month.
 * @throws Error if their closing balances are not those of the partners in the closed books: a run that lacks a statement is worse than none
 */
export function manifestOf(closed: ClosedMonth, format: string, statements: readonly ListedStatement[]): Manifest {
  const books = closed.accounts.find(({ account }) => account === PARTNER_BALANCES);
  // The partners' balances are a liability, which is negative in the books.
  const expected_kobo = -BigInt(books?.closing_kobo ?? 0);
  const sum_kobo = sumOf(statements, 'closing_balance');
  if (sum_kobo !== expected_kobo)
    throw new Error(
      `The statements of ${closed.period} close with ${sum_kobo} kobo together, but the partners have ${expected_kobo} kobo in the closed books.`,
    );
  const amounts = Object.fromEntries(LISTED_AMOUNTS.map((amount) => [amount, sumInNaira(sumOf(statements, amount))]));
  const bytes = statements.reduce((sum, statement) => sum + statement.bytes, 0);
  return {
    ...headOf(closed, format),
    statements,
    totals: { count: statements.length, bytes, ...(amounts as Record<ListedAmount, number | RawNumber>) },
  };
}

/** Returns a manifest as the text of its file: the same text for the same statements. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

function sumOf(statements: readonly ListedStatement[], amount: ListedAmount): bigint {
  return statements.reduce((sum, statement) => sum + BigInt(toKobo(statement[amount])), 0n);
}
