import { ratios, type Spread, spreadOf } from '../support/statistics.js';

/** A bound for a figure's ratio to its baseline, or for its own value. */
export type Goal = { readonly of: 'ratio' | 'value'; readonly min: number } | { readonly of: 'ratio' | 'value'; readonly max: number };

/** A measurement of each round, with that of its baseline if it has one. */
export interface Figure {
  readonly label: string;
  /** Name of the baseline; empty if there is none. */
  readonly baseline: string;
  readonly unit: string;
  readonly ours: readonly number[];
  /** Values of the baseline, one per round; empty if there is no baseline. */
  readonly theirs: readonly number[];
  readonly goal?: Goal;
}

/** Returns figures whose labels stand alone: "… p99 latency" gets the label of the row that it belongs to, up to its colon. */
export function withFullLabels(figures: readonly Figure[]): Figure[] {
  let row = '';
  return figures.map((figure) => {
    if (figure.label.startsWith('…')) return { ...figure, label: `${row} ${figure.label}` };
    row = figure.label.replace(/: .*$/, '');
    return figure;
  });
}

export interface Verdict {
  readonly ours: Spread;
  readonly theirs: Spread | undefined;
  /** Ratios of the rounds; undefined without a baseline. */
  readonly ratio: Spread | undefined;
  /** Whether the goal was met; undefined if there is no goal. */
  readonly met: boolean | undefined;
}

export function verdictOn({ ours, theirs, goal }: Figure): Verdict {
  const ratio = theirs.length === 0 ? undefined : spreadOf(ratios(ours, theirs));
  const spread = spreadOf(ours);
  const value = goal?.of === 'ratio' ? ratio?.median : spread.median;
  return {
    ours: spread,
    theirs: theirs.length === 0 ? undefined : spreadOf(theirs),
    ratio,
    met: goal === undefined ? undefined : isMet(goal, value),
  };
}

function isMet(goal: Goal, value: number | undefined): boolean {
  // NaN meets no goal.
  if (value === undefined || Number.isNaN(value)) return false;
  return 'min' in goal ? value >= goal.min : value <= goal.max;
}

export function describeGoal(goal: Goal, unit: string): string {
  const sign = 'min' in goal ? '≥' : '≤';
  const bound = 'min' in goal ? goal.min : goal.max;
  return goal.of === 'ratio'
    ? `${sign} ${bound.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 2 })} ×`
    : `${sign} ${bound} ${unit}`;
}
