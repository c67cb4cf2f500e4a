import { keyOf } from '../../../kernel/keyed-id.js';

/** Hours for which a settled charge keeps its Idempotency-Key used. A key may be used again after 24 hours, on any instance's clock. */
const USED_HOURS = 24;
/** Seconds by which the memory of a key ends earlier, since the key's day began before its charge was settled. */
const MARGIN_SECONDS = 10 * 60;
const USED_SECONDS = USED_HOURS * 3_600 - MARGIN_SECONDS;
/** Keys that are copied with each settlement; more become a run. */
const MAX_RECENT = 256;

/** Keys in ascending order, each with the second in which its charge was settled. */
interface Run {
  readonly keys: Float64Array;
  readonly seconds: Float64Array;
}

/**
 * The Idempotency-Keys of charges that were settled within a day. The value is immutable, as a wallet's state has to be, and a wallet may
 * have a million keys a day: the newest ones are a short list, and the others sorted runs, each at least twice as long as the next.
 */
export interface SettledKeys {
  readonly recent: readonly (readonly [key: number, second: number])[];
  readonly runs: readonly Run[];
}

export const NO_KEYS: SettledKeys = { recent: [], runs: [] };

/** Adds the keys of these lookups. Lookups without a key change nothing. @param at ISO 8601, UTC: when their charges were settled */
export function addKeys(known: SettledKeys, lookupIds: readonly string[], at: string): SettledKeys {
  const second = secondOf(at);
  // All lookups of a call have its key.
  const keys = new Set(lookupIds.map((id) => keyOf(id)));
  const added = [...keys].flatMap((key) => (key === undefined ? [] : [[key, second] as const]));
  if (added.length === 0) return known;
  const recent = [...known.recent, ...added];
  return recent.length <= MAX_RECENT ? { ...known, recent } : { recent: [], runs: withRun(known.runs, sorted(recent), second) };
}

/** Returns whether a charge with the key was settled within the day before `at` (ISO 8601, UTC). */
export function hasKey({ recent, runs }: SettledKeys, key: number, at: string): boolean {
  const since = secondOf(at) - USED_SECONDS;
  return recent.some(([each, second]) => each === key && second > since) || runs.some((run) => isIn(run, key, since));
}

/** Returns the time (ISO 8601, UTC) before which settlements do not matter any more at `at`. */
export function oldestUse(at: string): string {
  return new Date((secondOf(at) - USED_SECONDS) * 1_000).toISOString();
}

function secondOf(at: string): number {
  return Math.floor(Date.parse(at) / 1_000);
}

function sorted(used: SettledKeys['recent']): Run {
  const ordered = used.toSorted(([a], [b]) => a - b);
  return { keys: Float64Array.from(ordered, ([key]) => key), seconds: Float64Array.from(ordered, ([, second]) => second) };
}

/** Merges the last runs while one is not twice as long as the next, so that there are few of them. */
function withRun(runs: readonly Run[], run: Run, now: number): readonly Run[] {
  const last = runs.at(-1);
  if (!last || last.keys.length >= 2 * run.keys.length) return [...runs, run];
  return withRun(runs.slice(0, -1), merged(last, run, now - USED_SECONDS), now);
}

function merged(one: Run, other: Run, since: number): Run {
  const keys = new Float64Array(one.keys.length + other.keys.length);
  const seconds = new Float64Array(keys.length);
  let length = 0;
  const take = ({ keys: from, seconds: times }: Run, index: number): void => {
    const second = times[index] ?? 0;
    if (second <= since) return;
    keys[length] = from[index] ?? 0;
    seconds[length] = second;
    length += 1;
  };
  for (let i = 0, j = 0; i < one.keys.length || j < other.keys.length;) {
    if ((one.keys[i] ?? Infinity) <= (other.keys[j] ?? Infinity)) take(one, i++);
    else take(other, j++);
  }
  return { keys: keys.slice(0, length), seconds: seconds.slice(0, length) };
}

/** The same key stands several times in a run if it was used again after a day. */
function isIn({ keys, seconds }: Run, key: number, since: number): boolean {
  let low = 0;
  for (let high = keys.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? Infinity) < key) low = middle + 1;
    else high = middle;
  }
  for (; keys[low] === key; low += 1) if ((seconds[low] ?? 0) > since) return true;
  return false;
}
