/** A position before the first event. */
export const START = -1n;

export function positionOf(checkpoint: { readonly position: string | null } | undefined): bigint {
  return BigInt(checkpoint?.position ?? START);
}

/** Returns the highest position; START if there is none. */
export function highest(positions: readonly bigint[]): bigint {
  return positions.reduce((max, position) => (position > max ? position : max), START);
}

/** Returns the lowest position; `fallback` if there is none. */
export function lowest(positions: readonly bigint[], fallback: bigint = START): bigint {
  const [first = fallback] = positions;
  return positions.reduce((min, position) => (position < min ? position : min), first);
}
