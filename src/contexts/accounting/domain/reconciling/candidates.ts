import { type BankRow } from './bank-rows.js';
import { agreementOf, daysApart, isMoneyIn, type Movement } from './movements.js';
import { type ReferenceIndex } from './references.js';

export interface ReconcileOptions {
  /** Days by which a movement may be recorded before or after the bank's date. */
  readonly days: number;
  /** Integer kobo by which a bank's amount may differ from the cash. */
  readonly tolerance_kobo: number;
  /** The first and the last day (yyyy-mm-dd) of the movements that need a row. */
  readonly from: string;
  readonly to: string;
}

/** A row with the movements whose reference stands in its narration. */
export interface Candidate {
  readonly row: BankRow;
  /** The movement that the row belongs to; several if that cannot be told, none without a reference. */
  readonly movements: readonly Movement[];
  /** Whether the row belongs to one movement, and agrees with it in amount and date. */
  readonly isExplained: boolean;
}

/** Returns the row with its movements: those of its direction whose reference is the longest (finance, "Reconciliation"). */
export function candidateOf(row: BankRow, index: ReferenceIndex<Movement>, options: ReconcileOptions): Candidate {
  const isIn = row.amount_kobo > 0;
  const found = index.longestIn(row.narration, (movement) => isMoneyIn(movement) === isIn);
  const movements = chosenAmong(found?.items ?? [], row.amount_kobo, options.tolerance_kobo);
  const [movement] = movements;
  const isExplained = movements.length === 1 && movement !== undefined && agrees(row, movement, options);
  return { row, movements, isExplained };
}

/** Chooses among equally long references the one whose cash is the amount. A credit that was reversed as a whole is the last choice. */
function chosenAmong(found: readonly Movement[], amount_kobo: number, tolerance_kobo: number): readonly Movement[] {
  const left = found.filter(({ cash_kobo }) => cash_kobo !== 0);
  const all = left.length > 0 ? left : found;
  const equal = all.filter(({ cash_kobo }) => cash_kobo === amount_kobo);
  if (equal.length > 0) return equal.length === 1 ? equal : all;
  const agreeing = all.filter((movement) => agreementOf(amount_kobo, movement, tolerance_kobo) !== undefined);
  return agreeing.length === 1 ? agreeing : all;
}

function agrees(row: BankRow, movement: Movement, { days, tolerance_kobo }: ReconcileOptions): boolean {
  return agreementOf(row.amount_kobo, movement, tolerance_kobo) !== undefined && daysApart(row.date, movement.date) <= days;
}

/** The order in which rows are compared: it depends on what they say, and only for equal rows on their place in the file. */
export function inOrder(one: BankRow, other: BankRow): number {
  if (one.date !== other.date) return one.date < other.date ? -1 : 1;
  if (one.amount_kobo !== other.amount_kobo) return one.amount_kobo - other.amount_kobo;
  if (one.narration !== other.narration) return one.narration < other.narration ? -1 : 1;
  return one.line - other.line;
}
