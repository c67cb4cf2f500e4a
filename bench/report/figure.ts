import { ratios, type Spread, spreadOf } from '../support/statistics.js';

/** What a figure has to be: its ratio to what it is held against, or itself. */
export type Goal = { readonly of: 'ratio' | 'value'; readonly least: number } | { readonly of: 'ratio' | 'value'; readonly most: number };

/** Something that was measured, round by round, with what it is held against where there is such a thing. */
export interface Figure {
  readonly what: string;
  /** What it is held against; empty where it stands for itself. */
  readonly against: string;
  readonly unit: string;
  readonly ours: readonly number[];
  /** As many as of ours; empty where there is nothing to hold it against. */
  readonly theirs: readonly number[];
  readonly goal?: Goal;
}

export interface Verdict {
  readonly ours: Spread;
  readonly theirs: Spread | undefined;
  /** Round by round. */
  readonly ratio: Spread | undefined;
  /** undefined where nothing was promised. */
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
  // A figure that is no number has met nothing.
  if (value === undefined || Number.isNaN(value)) return false;
  return 'least' in goal ? value >= goal.least : value <= goal.most;
}

export function describeGoal(goal: Goal, unit: string): string {
  const sign = 'least' in goal ? '≥' : '≤';
  const bound = 'least' in goal ? goal.least : goal.most;
  return goal.of === 'ratio' ? `${sign} ${bound.toFixed(1)} ×` : `${sign} ${bound} ${unit}`;
}
