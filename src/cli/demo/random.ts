/** Deterministic random draws: the same seed repeats them on every machine. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  chance(probability: number): boolean;
  /** Returns an integer from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  some<T>(list: readonly T[], low: number, high: number): T[];
}

/** Returns a mulberry32 generator. Seed and index are mixed, so that the draws of neighbouring indices are unrelated. */
export function random(seed: number, index: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(list: readonly T[]): T => list[integer(0, list.length - 1)] as T;
  const some = <T>(list: readonly T[], low: number, high: number): T[] => {
    const rest = [...list];
    return Array.from({ length: Math.min(integer(low, high), rest.length) }, () => rest.splice(integer(0, rest.length - 1), 1)[0] as T);
  };
  return { next, chance: (probability) => next() < probability, integer, pick, some };
}

/** Returns a random ISO 8601 date in the years `from` to `to`. */
export function date(draw: Random, from: number, to: number, lastMonth = 12): string {
  const pad = (value: number): string => value.toString().padStart(2, '0');
  return `${draw.integer(from, to)}-${pad(draw.integer(1, lastMonth))}-${pad(draw.integer(1, 28))}`;
}
