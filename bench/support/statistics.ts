import { median, quantile } from 'simple-statistics';

/** Median, minimum and maximum of measured values. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the spread of values. @throws Error if there are none. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('Nothing was measured.');
  return { median: median([...values]), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Returns the ratios of two sides, round by round. The two measurements of a round follow each other directly, so that a disturbance
 * of some minutes affects both.
 */
export function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  if (ours.length !== theirs.length)
    throw new Error(`${ours.length} rounds of one side and ${theirs.length} of the other cannot be compared.`);
  return ours.map((value, round) => value / (theirs[round] ?? NaN));
}

export function percentile(values: readonly number[], share: number): number {
  return quantile([...values], share);
}

/**
 * Returns the slope of `y` over `x` after the first quarter of the samples, in which caches fill. It is the Theil-Sen estimator, the
 * median of the slopes of all pairs of samples: a large garbage collection would distort a least-squares fit, but not this one.
 */
export function slopeOnceFilled(samples: readonly (readonly [x: number, y: number])[]): number {
  const rest = samples.slice(Math.floor(samples.length / 4));
  const slopes = rest.flatMap(([x, y], index) => rest.slice(index + 1).map(([later, other]) => (other - y) / (later - x)));
  return slopes.length === 0 ? 0 : median(slopes);
}

/**
 * Returns the order of the sides in each round. The first side alternates (A B, B A, A B, …), so that no side always runs on a machine
 * that has just been idle.
 */
export function alternating<Side>(sides: readonly Side[], rounds: number): readonly Side[][] {
  return Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? [...sides] : sides.toReversed()));
}
