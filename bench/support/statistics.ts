import { median, quantile } from 'simple-statistics';

/** Middle and ends of what was measured. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** @throws Error for nothing at all */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('Nothing was measured.');
  return { median: median([...values]), least: Math.min(...values), most: Math.max(...values) };
}

/**
 * Ours over theirs, round by round: the two of a round were measured one right after the other, so that what slows the machine
 * for minutes slows both.
 */
export function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  if (ours.length !== theirs.length) throw new Error(`${ours.length} rounds of one and ${theirs.length} of the other cannot be compared.`);
  return ours.map((value, round) => value / (theirs[round] ?? NaN));
}

export function percentile(values: readonly number[], share: number): number {
  return quantile([...values], share);
}

/**
 * Of `y` over `x` after the first quarter of the samples: in that is filled what is meant to be filled. It is the median of the slopes
 * between all pairs of samples (Theil and Sen): one large garbage collection bends a line of least squares, and not this one.
 */
export function slopeOnceFilled(samples: readonly (readonly [x: number, y: number])[]): number {
  const rest = samples.slice(Math.floor(samples.length / 4));
  const slopes = rest.flatMap(([x, y], index) => rest.slice(index + 1).map(([later, other]) => (other - y) / (later - x)));
  return slopes.length === 0 ? 0 : median(slopes);
}

/**
 * Who comes first takes turns: A B, B A, A B, … so that neither is always the one that runs on a machine that has just been at rest.
 */
export function alternating<Side>(sides: readonly Side[], rounds: number): readonly Side[][] {
  return Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? [...sides] : sides.toReversed()));
}
