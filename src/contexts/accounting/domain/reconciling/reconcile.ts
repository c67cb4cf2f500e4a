import { type BankRow, type BankRows, type UnusedRow } from './bank-rows.js';
import { type Candidate, candidateOf, inOrder, type ReconcileOptions } from './candidates.js';
import { daysApart, type Movement } from './movements.js';
import { ReferenceIndex } from './references.js';
import { type Different, type Matched, settle, type Split } from './settle.js';
import { type Evidence, takenBack, type TakenBack, takenBackByAmount } from './taken-back.js';

export interface NotCredited {
  readonly row: BankRow;
  /** `no_reference`: its narration has the reference of no movement. `paid_twice`: its movement has its payment already. */
  readonly why: 'no_reference' | 'paid_twice';
  readonly movement: Movement | null;
}

/** A row whose reference several movements have, none of which has its amount alone. */
interface Ambiguous {
  readonly row: BankRow;
  /** The first {@link LISTED_MAX} of them, nearest in date. */
  readonly movements: readonly Movement[];
  /** The number of all of them. */
  readonly count: number;
}

/** Hundreds of wallets may have one reference, such as the name of a month. Listing all for each row made a response of hundreds of megabytes. */
const LISTED_MAX = 10;

/** A row that needs no movement. */
export interface Skipped extends Omit<UnusedRow, 'why'> {
  readonly why: UnusedRow['why'] | 'reversed' | 'money_out';
  /** The line of the other row of a `reversed` one, and the evidence that the two belong together; null for other reasons. */
  readonly counterpart: number | null;
  readonly by: Evidence | null;
}

export interface Reconciliation {
  readonly matched: readonly Matched[];
  readonly split: readonly Split[];
  readonly not_credited: readonly NotCredited[];
  readonly not_in_file: readonly Movement[];
  readonly different: readonly Different[];
  readonly ambiguous: readonly Ambiguous[];
  readonly skipped: readonly Skipped[];
}

/**
 * Compares a bank's rows with the movements of cash in the books (finance, "Reconciliation"). Each row stands in one list, and each movement
 * is matched once at most. The result depends on the order of the rows only where rows are equal.
 */
export function reconcile(
  { rows, unused }: Pick<BankRows, 'rows' | 'unused'>,
  movements: readonly Movement[],
  options: ReconcileOptions,
): Reconciliation {
  const index = new ReferenceIndex(movements, ({ reference }) => reference);
  const all = rows.toSorted(inOrder).map((row) => candidateOf(row, index, options));
  const reversed = takenBack(all, ({ narration }) => index.longestIn(narration)?.key);
  const gone = new Set(reversed.map(({ row }) => row));
  const open = all.filter(({ row }) => !gone.has(row));
  const found = { matched: [] as Matched[], split: [] as Split[], different: [] as Different[], not_credited: [] as NotCredited[] };
  for (const [movement, own] of byMovement(open)) {
    const { rest, ...settled } = settle(own, movement, options);
    if (settled.matched) found.matched.push(settled.matched);
    if (settled.split) found.split.push(settled.split);
    if (settled.different) found.different.push(settled.different);
    found.not_credited.push(...rest.map((row) => ({ row, why: 'paid_twice' as const, movement })));
  }
  const undecided = open.filter(({ movements: several }) => several.length > 1);
  const unexplained = open.filter(({ movements: none }) => none.length === 0).map(({ row }) => row);
  const byAmount = takenBackByAmount(unexplained, options.days);
  const paired = new Set(byAmount.map(({ row }) => row));
  const left = unexplained.filter((row) => !paired.has(row));
  const unreferenced = left.filter(({ amount_kobo }) => amount_kobo > 0);
  const out = left.filter(({ amount_kobo }) => amount_kobo < 0);
  return inFileOrder({
    ...found,
    not_credited: [...found.not_credited, ...unreferenced.map((row) => ({ row, why: 'no_reference' as const, movement: null }))],
    not_in_file: movements.filter(unlisted([...found.matched, ...found.split, ...found.different], undecided, options)),
    ambiguous: undecided.map(ambiguousOf),
    skipped: [
      ...unused.map((row) => ({ ...row, counterpart: null, by: null })),
      ...[...reversed, ...byAmount].map(skippedPair),
      ...out.map((row) => ({ ...row, why: 'money_out' as const, counterpart: null, by: null })),
    ],
  });
}

/** Whether every row that is money has its movement, and every movement of the period its row. */
export function isReconciled({ not_credited, not_in_file, different, ambiguous }: Reconciliation): boolean {
  return [not_credited, not_in_file, different, ambiguous].every(({ length }) => length === 0);
}

function byMovement(candidates: readonly Candidate[]): Map<Movement, BankRow[]> {
  const groups = new Map<Movement, BankRow[]>();
  for (const { row, movements } of candidates) {
    const [movement] = movements;
    if (!movement || movements.length > 1) continue;
    const group = groups.get(movement);
    if (group) group.push(row);
    else groups.set(movement, [row]);
  }
  return groups;
}

function ambiguousOf({ row, movements }: Candidate): Ambiguous {
  const count = movements.length;
  if (count <= LISTED_MAX) return { row, movements, count };
  const byDays = movements
    .map((movement) => ({ movement, days: daysApart(row.date, movement.date) }))
    .sort((one, other) => one.days - other.days);
  return { row, movements: byDays.slice(0, LISTED_MAX).map(({ movement }) => movement), count };
}

function skippedPair({ row, counterpart, by }: TakenBack): Skipped {
  return { ...row, why: 'reversed', counterpart, by };
}

/** Returns a test for movements of the period that no row belongs to. One that was reversed as a whole needs no row. */
function unlisted(
  listed: readonly { readonly movement: Movement }[],
  undecided: readonly Candidate[],
  { from, to }: ReconcileOptions,
): (movement: Movement) => boolean {
  const known = new Set(listed.map(({ movement }) => movement));
  for (const { movements } of undecided) for (const movement of movements) known.add(movement);
  return (movement) => movement.cash_kobo !== 0 && movement.date >= from && movement.date <= to && !known.has(movement);
}

function inFileOrder(found: Reconciliation): Reconciliation {
  const byRow = (one: { readonly row: BankRow }, other: { readonly row: BankRow }): number => one.row.line - other.row.line;
  const byFirst = (one: { readonly rows: readonly BankRow[] }, other: { readonly rows: readonly BankRow[] }): number =>
    (one.rows[0]?.line ?? 0) - (other.rows[0]?.line ?? 0);
  return {
    ...found,
    matched: found.matched.toSorted(byRow),
    split: found.split.toSorted(byFirst),
    not_credited: found.not_credited.toSorted(byRow),
    different: found.different.toSorted(byFirst),
    ambiguous: found.ambiguous.toSorted(byRow),
    skipped: found.skipped.toSorted((one, other) => one.line - other.line),
  };
}
