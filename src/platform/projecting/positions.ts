import { type Checkpoint } from './checkpoints.js';

/** Before the first event. */
export const START = -1n;

export function positionOf(checkpoint: Pick<Checkpoint, 'position'> | undefined): bigint {
  return BigInt(checkpoint?.position ?? START);
}

/** The farthest; START of none. */
export function most(positions: readonly bigint[]): bigint {
  return positions.reduce((far, position) => (position > far ? position : far), START);
}

/** The one that is behind all others; `otherwise` of none. */
export function least(positions: readonly bigint[], otherwise: bigint = START): bigint {
  const [first = otherwise] = positions;
  return positions.reduce((near, position) => (position < near ? position : near), first);
}
