import { type BankRow } from './bank-rows.js';
import { type Candidate } from './candidates.js';
import { daysApart } from './movements.js';
import { comparedKey } from './references.js';

/** The evidence that a row and its counterpart belong together, the strongest first. */
export const EVIDENCE = ['narration', 'reference', 'mark', 'amount'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** A row that the bank took back, or the row that took it back. */
export interface TakenBack {
  readonly row: BankRow;
  /** Line of the other one; null if the file does not have it. */
  readonly counterpart: number | null;
  readonly by: Evidence;
}

const MARK = /\b(?:RVSL|RVRSL|RSVL|REVERSAL|REVERSED|REVERSE)\b(?:\s+(?:of|for)\b)?/giu;
/** Rows of the same amount that are looked at before a row, so that a file of equal amounts does not take for ever. */
const LOOKED_BACK = 500;
/** A narration that stands in that of a marked row has at least so many characters. */
const LEAST_CHARACTERS = 6;

interface Told extends Candidate {
  readonly isMarked: boolean;
  /** The narration without the mark, as it is compared. */
  readonly key: string;
}

/**
 * Finds the rows that the bank took back: a later row has the same amount with the other sign, and the same narration, the same reference, or
 * a mark such as RVSL. Pairs of which both rows are explained by movements of their own are none: the money went and came back in the books.
 * @param referenceIn returns the longest reference in a row's narration, of any direction
 */
export function takenBack(candidates: readonly Candidate[], referenceIn: (row: BankRow) => string | undefined): TakenBack[] {
  const told = candidates.map((candidate): Told => {
    const { narration } = candidate.row;
    const plain = narration.replaceAll(MARK, ' ');
    return { ...candidate, isMarked: plain !== narration, key: comparedKey(plain) };
  });
  const open = Map.groupBy(told, ({ row }) => row.amount_kobo);
  const close = (each: Told): void => {
    const group = open.get(each.row.amount_kobo) ?? [];
    group.splice(group.indexOf(each), 1);
  };
  const references = new Map<BankRow, string | undefined>();
  const reference = (row: BankRow): string | undefined => {
    if (!references.has(row)) references.set(row, referenceIn(row));
    return references.get(row);
  };
  const paired = new Set<Told>();
  const found: TakenBack[] = [];
  for (const later of told) {
    if (paired.has(later)) continue;
    const best = counterpartOf(later, open.get(-later.row.amount_kobo) ?? [], reference);
    if (best) {
      const pair = [later, best.earlier];
      for (const each of pair) paired.add(each);
      pair.forEach(close);
      found.push({ row: later.row, counterpart: best.earlier.row.line, by: best.by });
      found.push({ row: best.earlier.row, counterpart: later.row.line, by: best.by });
    } else if (later.isMarked && later.movements.length === 0) {
      paired.add(later);
      close(later);
      found.push({ row: later.row, counterpart: null, by: 'mark' });
    }
  }
  return found;
}

interface Counterpart {
  readonly earlier: Told;
  readonly by: Evidence;
}

/** @param group rows with the same amount and the other sign that have no counterpart yet, in order */
function counterpartOf(later: Told, group: readonly Told[], reference: (row: BankRow) => string | undefined): Counterpart | undefined {
  let best: Counterpart | undefined;
  const last = lastUntil(group, later.row.date);
  for (let at = last; at >= 0 && at > last - LOOKED_BACK; at -= 1) {
    const earlier = group[at];
    if (!earlier || (earlier.isExplained && later.isExplained)) continue;
    const by = evidenceFor(later, earlier, reference);
    if (by && (!best || isNearer({ earlier, by }, best, later))) best = { earlier, by };
  }
  return best;
}

function evidenceFor(later: Told, earlier: Told, reference: (row: BankRow) => string | undefined): Evidence | undefined {
  if (later.key !== '' && later.key === earlier.key) return 'narration';
  const [short = '', long = ''] = [later.key, earlier.key].sort((one, other) => one.length - other.length);
  if (later.isMarked && short.length >= LEAST_CHARACTERS && long.includes(short)) return 'narration';
  const own = reference(later.row);
  if (own !== undefined && own === reference(earlier.row)) return 'reference';
  return later.isMarked ? 'mark' : undefined;
}

function isNearer(one: Counterpart, other: Counterpart, later: Told): boolean {
  const rank = ({ by, earlier }: Counterpart): readonly number[] => [
    EVIDENCE.indexOf(by),
    daysApart(earlier.row.date, later.row.date),
    Number(earlier.isExplained),
    Math.abs(earlier.row.line - later.row.line),
  ];
  const [mine, theirs] = [rank(one), rank(other)];
  const differs = mine.findIndex((value, index) => value !== theirs[index]);
  return differs >= 0 && (mine[differs] ?? 0) < (theirs[differs] ?? 0);
}

/** Returns the index of the last row of a day or before it; -1 if all are later. */
function lastUntil(group: readonly Told[], date: string): number {
  let [low, high] = [0, group.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((group[middle]?.row.date ?? '') <= date) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Pairs money out that nothing explains with the nearest money in of the same amount, at most some days before it, that nothing explains
 * either. The amount is their only evidence.
 * @param rows in order
 */
export function takenBackByAmount(rows: readonly BankRow[], days: number): TakenBack[] {
  const open = new Map<number, BankRow[]>();
  const found: TakenBack[] = [];
  // Money in comes before money out of the same day, whatever the order in the file.
  for (const row of rows.toSorted((one, other) => one.date.localeCompare(other.date) || other.amount_kobo - one.amount_kobo)) {
    const waiting = open.get(Math.abs(row.amount_kobo)) ?? [];
    if (row.amount_kobo > 0) open.set(row.amount_kobo, [...waiting.slice(-LOOKED_BACK), row]);
    const earlier = row.amount_kobo < 0 ? waiting.at(-1) : undefined;
    if (!earlier || daysApart(earlier.date, row.date) > days) continue;
    waiting.pop();
    found.push({ row: earlier, counterpart: row.line, by: 'amount' }, { row, counterpart: earlier.line, by: 'amount' });
  }
  return found;
}
