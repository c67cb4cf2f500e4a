/** Bounds of what one append may count for, in milliseconds, and of a whole pause. */
const APPEND_MS = { min: 1, max: 100 };
const PAUSE_MS_MAX = 500;
const DOUBLINGS_MAX = 4;
/** A command fails as contended only after this many lost races and this many milliseconds: longer than a charge waits, shorter than a request. */
const CONTENDED = { races: 12, ms: 15_000 };

/**
 * Returns for how many milliseconds a writer pauses that has lost races in a row: about the length of the other writer's batch, which its own
 * append shows, and twice as long after each further loss. Meanwhile its next batch grows.
 * @param lost number of races lost in a row, at least 1
 * @param appendMs duration of the append that lost
 * @param random from 0 to 1, so that writers do not return at the same moment
 */
export function pauseAfterLostRace(lost: number, appendMs: number, random: number): number {
  const length = Math.min(Math.max(appendMs, APPEND_MS.min), APPEND_MS.max);
  return Math.min((0.5 + random) * length * 2 ** Math.min(lost - 1, DOUBLINGS_MAX), PAUSE_MS_MAX);
}

/** Returns whether a batch that has lost so many races in `ms` milliseconds goes on. */
export function isWorthRetrying(lost: number, ms: number): boolean {
  return lost < CONTENDED.races || ms < CONTENDED.ms;
}
