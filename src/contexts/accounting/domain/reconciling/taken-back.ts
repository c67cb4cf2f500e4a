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

/** A row with everything that is compared, so that hundreds of rows are looked at for each row without a look into a map or a list. */
interface Told extends Candidate {
  readonly isMarked: boolean;
  /** The narration without the mark, as it is compared. */
  readonly key: string;
  /** The longest reference in the narration, of any direction. */
  readonly reference: string | undefined;
  /** The date as a number. */
  readonly time: number;
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
    const { row } = candidate;
    const [key, reference, time] = [comparedKey(plain), referenceIn(row), Date.parse(row.date)];
    return { ...candidate, isMarked: plain !== narration, key, reference, time };
  });
  const groups = Map.groupBy(told, ({ row }) => row.amount_kobo);
  const open = new Map([...groups].map(([amount_kobo, group]) => [amount_kobo, new OpenRows(group)]));
  const close = (each: Told): void => open.get(each.row.amount_kobo)?.close(each);
  const paired = new Set<Told>();
  const found: TakenBack[] = [];
  for (const later of told) {
    if (paired.has(later)) continue;
    const best = counterpartOf(later, open.get(-later.row.amount_kobo));
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

/** The rows of one amount, in order, without those that have been closed. It takes about as long for ten rows as for fifty thousand. */
class OpenRows {
  private readonly indexes: ReadonlyMap<Told, number>;
  /** For each row the index of the last open one at or before it, or of one nearer to that; -1 for none. */
  private readonly lasts: Int32Array;

  constructor(private readonly rows: readonly Told[]) {
    this.indexes = new Map(rows.map((row, index) => [row, index]));
    this.lasts = Int32Array.from(rows.keys());
  }

  close(row: Told): void {
    const index = this.indexes.get(row);
    if (index !== undefined) this.lasts[index] = index - 1;
  }

  /** Yields the open rows of a day and before it, the last one first. */
  *until(date: string): Generator<Told> {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.rows[middle]?.row.date ?? '') <= date) low = middle + 1;
      else high = middle;
    }
    for (let at = this.lastOpen(low - 1); at >= 0; at = this.lastOpen(at - 1)) yield this.rows[at] as Told;
  }

  /** Returns the index of the last open row at or before an index, and shortens the way to it for the next time. */
  private lastOpen(index: number): number {
    let found = index;
    while (found >= 0 && this.lasts[found] !== found) found = this.lasts[found] ?? -1;
    for (let at = index; at > found;) {
      const next = this.lasts[at] ?? -1;
      this.lasts[at] = found;
      at = next;
    }
    return found;
  }
}

/** @param group rows with the same amount and the other sign that have no counterpart yet */
function counterpartOf(later: Told, group: OpenRows | undefined): Counterpart | undefined {
  let best: Counterpart | undefined;
  let looked = 0;
  for (const earlier of group?.until(later.row.date) ?? []) {
    looked += 1;
    // The rows before are further away, and no evidence is stronger.
    if (looked > LOOKED_BACK || (best?.by === EVIDENCE[0] && earlier.time < best.earlier.time)) break;
    if (earlier.isExplained && later.isExplained) continue;
    const by = evidenceFor(later, earlier);
    if (by && (!best || isNearer({ earlier, by }, best, later))) best = { earlier, by };
  }
  return best;
}

function evidenceFor(later: Told, earlier: Told): Evidence | undefined {
  if (later.key !== '' && later.key === earlier.key) return 'narration';
  if (later.isMarked && (contains(later.key, earlier.key) || contains(earlier.key, later.key))) return 'narration';
  if (later.reference !== undefined && later.reference === earlier.reference) return 'reference';
  return later.isMarked ? 'mark' : undefined;
}

function contains(long: string, short: string): boolean {
  return short.length >= LEAST_CHARACTERS && long.length >= short.length && long.includes(short);
}

function isNearer(one: Counterpart, other: Counterpart, { row: { line } }: Told): boolean {
  const nearness =
    EVIDENCE.indexOf(one.by) - EVIDENCE.indexOf(other.by) ||
    other.earlier.time - one.earlier.time ||
    Number(one.earlier.isExplained) - Number(other.earlier.isExplained) ||
    Math.abs(one.earlier.row.line - line) - Math.abs(other.earlier.row.line - line);
  return nearness < 0;
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
