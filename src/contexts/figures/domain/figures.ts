/** Names of what each process counts. A count is of things that happened in a span of time, so counts of spans and processes add up. */
export const COUNTED = ['lookups', 'billed', 'errors', 'refunds', 'delivered', 'failed_deliveries'] as const;
export type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** Names of what each process reads from the stores alike. Levels do not add up: a span of time has its highest one. */
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

/** The record of all processes over a step. Its counts are null if no process recorded anything, because then nothing is known. */
export interface RecordedStep {
  readonly atMs: number;
  readonly counts: Counts | null;
  readonly levels: Levels;
}

/** Returns when the newest whole step ended at a moment. */
export const wholeUntil = (stepMs: number, nowMs: number): number => nowMs - (nowMs % stepMs);

/** Returns the whole steps of a period, oldest first. @param recorded the steps that have a record, in any order; others are left out */
export function stepsOf(period: Period, nowMs: number, recorded: readonly RecordedStep[]): RecordedStep[] {
  const { ms, stepMs } = PERIODS[period];
  const begin = wholeUntil(stepMs, nowMs) - ms;
  const known = new Map(recorded.map((step) => [step.atMs, step]));
  return Array.from({ length: ms / stepMs }, (_, index) => {
    const atMs = begin + index * stepMs;
    return known.get(atMs) ?? { atMs, counts: null, levels: NO_LEVELS };
  });
}
