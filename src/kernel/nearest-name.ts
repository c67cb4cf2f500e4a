/** A longer name is told to be unknown, and compared with none. */
const COMPARED_MAX = 64;
/** Names of up to so many characters may differ by one edit from the one that was meant, longer ones by two. */
const SHORT = 3;

/** Returns the nearest of the names, the first of equally near ones; undefined if none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > COMPARED_MAX) return undefined;
  const most = name.length <= SHORT ? 1 : 2;
  const byDistance = known.map((other) => ({ other, edits: editsBetween(name, other, most) })).filter(({ edits }) => edits <= most);
  return byDistance.sort((one, other) => one.edits - other.edits)[0]?.other;
}

/** Returns the Levenshtein distance, or a larger number than `most`. */
function editsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
