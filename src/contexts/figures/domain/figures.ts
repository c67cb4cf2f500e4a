/** What a process counts. Each figure is a number of things that happened in a span of time, so figures of spans and processes add up. */
export const COUNTED = ['lookups', 'billed', 'errors', 'refunds', 'delivered', 'failed_deliveries'] as const;
export type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** What is read from the stores at a moment, so every process reads the same. Levels do not add up: a span has its highest one. */
export const LEVELS = [
  'lag_seconds',
  'lag_events',
  'open_charges',
  'oldest_charge_seconds',
  'deliveries_waiting',
  'failing_seconds',
] as const;
/** A level is null if it could not be read. */
export type Levels = Readonly<Record<(typeof LEVELS)[number], number | null>>;

export const NO_COUNTS: Counts = { lookups: 0, billed: 0, errors: 0, refunds: 0, delivered: 0, failed_deliveries: 0 };
export const NO_LEVELS: Levels = {
  lag_seconds: null,
  lag_events: null,
  open_charges: null,
  oldest_charge_seconds: null,
  deliveries_waiting: null,
  failing_seconds: null,
};

/** Returns the counts of each name, made from its name. */
export function countsBy(of: (name: (typeof COUNTED)[number]) => number): Counts {
  return Object.fromEntries(COUNTED.map((name) => [name, of(name)])) as unknown as Counts;
}

export const sumOf = (counts: readonly Counts[]): Counts => countsBy((name) => counts.reduce((sum, each) => sum + each[name], 0));

const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The periods of the charts: how long one is, and how long a step of it. Steps begin at whole multiples in UTC. */
export const PERIODS = {
  hour: { ms: HOUR_MS, stepMs: MINUTE_MS },
  day: { ms: 24 * HOUR_MS, stepMs: 10 * MINUTE_MS },
  month: { ms: 30 * 24 * HOUR_MS, stepMs: 6 * HOUR_MS },
} as const;
export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as readonly Period[];
export const DEFAULT_PERIOD: Period = 'hour';

/** What all processes recorded in a step; null counts if no process recorded anything, so that nothing is known about it. */
export interface RecordedStep {
  readonly atMs: number;
  readonly counts: Counts | null;
  readonly levels: Levels;
}

export interface Figures {
  /** The whole steps of the period, oldest first. */
  readonly steps: readonly RecordedStep[];
  /** The sums over {@link steps}. */
  readonly total: Counts;
  /** The step that is not over yet. It is no part of {@link steps} and {@link total}, and nothing is extrapolated from it. */
  readonly running: RecordedStep;
}

/** Returns when the period of whole steps ends that are over at a moment. */
export function endOfPeriod(period: Period, nowMs: number): number {
  return nowMs - (nowMs % PERIODS[period].stepMs);
}

/** Returns the figures of a period. @param recorded the steps that have a record, in any order; those outside the period do not count */
export function figuresOf(period: Period, nowMs: number, recorded: readonly RecordedStep[]): Figures {
  const { ms, stepMs } = PERIODS[period];
  const end = endOfPeriod(period, nowMs);
  const known = new Map(recorded.map((step) => [step.atMs, step]));
  const stepAt = (atMs: number): RecordedStep => known.get(atMs) ?? { atMs, counts: null, levels: NO_LEVELS };
  const steps = Array.from({ length: ms / stepMs }, (_, index) => stepAt(end - ms + index * stepMs));
  return { steps, total: sumOf(steps.flatMap(({ counts }) => counts ?? [])), running: stepAt(end) };
}
