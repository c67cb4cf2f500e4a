import { type BankRow } from './bank-rows.js';
import { type ReconcileOptions } from './candidates.js';
import { agreementOf, daysApart, type Explanation, type Movement } from './movements.js';

/** Why the bank's amount differs from the cash of its movement, and by how many kobo; null if it does not. */
export type Difference = { readonly amount_kobo: number; readonly because: Explanation } | null;

/** A row that agrees with its movement in amount and date. */
export interface Matched {
  readonly row: BankRow;
  readonly movement: Movement;
  readonly difference: Difference;
}

/** Several rows that are the payment of one movement together. */
export interface Split {
  readonly rows: readonly BankRow[];
  readonly movement: Movement;
  readonly difference: Difference;
}

export type DifferingField = 'amount' | 'date';

/** Rows with the reference of a movement, from which they differ. */
export interface Different {
  readonly rows: readonly BankRow[];
  readonly movement: Movement;
  readonly fields: readonly DifferingField[];
}

interface Settled {
  readonly matched?: Matched;
  readonly split?: Split;
  readonly different?: Different;
  /** Rows beyond the payment of the movement. */
  readonly rest: readonly BankRow[];
}

/** Rows of one movement among which a part that sums to its cash is searched for; of more rows, only the first ones together are tried. */
const MOST_SEARCHED = 10;

/**
 * Decides which of the rows that have a movement's reference are its payment: one of them, else several together. If none is, one with the
 * right amount and another date differs, else all do.
 * @param rows in order, at least one
 */
export function settle(rows: readonly BankRow[], movement: Movement, { days, tolerance_kobo }: ReconcileOptions): Settled {
  const isNear = ({ date }: BankRow): boolean => daysApart(date, movement.date) <= days;
  const without = (taken: readonly BankRow[]): BankRow[] => {
    const gone = new Set(taken);
    return rows.filter((row) => !gone.has(row));
  };
  const agreement = (amount_kobo: number): ReturnType<typeof agreementOf> => agreementOf(amount_kobo, movement, tolerance_kobo);
  const agreeing = rows.filter(({ amount_kobo }) => agreement(amount_kobo) !== undefined);
  const best = nearestOf(agreeing.filter(isNear), movement);
  if (best) return { matched: { row: best, movement, difference: differenceOf([best], movement, tolerance_kobo) }, rest: without([best]) };
  const parts = partsOf(rows, agreement);
  if (parts?.some(isNear))
    return { split: { rows: parts, movement, difference: differenceOf(parts, movement, tolerance_kobo) }, rest: without(parts) };
  const late = nearestOf(agreeing, movement);
  const differing = late ? [late] : (parts ?? rows);
  const fields: DifferingField[] = late || parts ? ['date'] : rows.some(isNear) ? ['amount'] : ['amount', 'date'];
  return { different: { rows: differing, movement, fields }, rest: without(differing) };
}

/** Returns the row whose amount is nearest to the movement's cash; of equally near ones the first, because the others are paid twice. */
function nearestOf(rows: readonly BankRow[], { cash_kobo }: Movement): BankRow | undefined {
  const distance = ({ amount_kobo }: BankRow): number => Math.abs(amount_kobo - cash_kobo);
  return rows.reduce<BankRow | undefined>((found, row) => (found && distance(found) <= distance(row) ? found : row), undefined);
}

function differenceOf(rows: readonly BankRow[], movement: Movement, tolerance_kobo: number): Difference {
  const amount_kobo = sumOf(rows);
  const because = agreementOf(amount_kobo, movement, tolerance_kobo);
  return because === undefined || because === 'equal' ? null : { amount_kobo: amount_kobo - movement.cash_kobo, because };
}

/** Returns two or more of the rows that agree together: all of them rather than fewer, an equal sum rather than an explained one. */
function partsOf(rows: readonly BankRow[], agreement: (amount_kobo: number) => unknown): readonly BankRow[] | undefined {
  if (rows.length < 2) return undefined;
  const isEqual = (part: readonly BankRow[]): boolean => agreement(sumOf(part)) === 'equal';
  const isAgreed = (part: readonly BankRow[]): boolean => agreement(sumOf(part)) !== undefined;
  const parts = rows.length > MOST_SEARCHED ? beginningsOf(rows) : subsetsOf(rows);
  return isAgreed(rows) ? rows : (parts.find(isEqual) ?? parts.find(isAgreed));
}

function beginningsOf(rows: readonly BankRow[]): BankRow[][] {
  return Array.from({ length: MOST_SEARCHED }, (_, more) => rows.slice(0, more + 2));
}

/** Returns every choice of two or more rows. Of choices of one size, those with earlier rows come first. */
function subsetsOf(rows: readonly BankRow[]): BankRow[][] {
  const choices = rows.reduce<BankRow[][]>((found, row) => [...found.map((each) => [...each, row]), ...found], [[]]);
  return choices.filter(({ length }) => length > 1).sort((one, other) => other.length - one.length);
}

function sumOf(rows: readonly BankRow[]): number {
  return rows.reduce((sum, { amount_kobo }) => sum + amount_kobo, 0);
}
