import { type Hash, leafHash } from '../../../src/contexts/evidence/domain/merkle.js';
import { inclusionRanges, type LeafRange, rootsOf } from '../../../src/contexts/evidence/domain/tree-proofs.js';
import { type Tile, TreeEdge } from '../../../src/contexts/evidence/domain/tree-edge.js';

/** A tree whose tiles are all in memory. */
export interface WholeTree {
  readonly size: number;
  readonly root: Hash;
  readonly tiles: readonly Tile[];
  roots(this: void, ranges: readonly LeafRange[]): Hash[];
  /** The audit path of a leaf. */
  path(this: void, index: number): Hash[];
}

export function treeOf(leaves: readonly Hash[]): WholeTree {
  const { tree, filled } = TreeEdge.EMPTY.with(leaves);
  const tiles = [...filled, ...tree.tiles].sort((a, b) => a.level - b.level || a.index - b.index);
  const roots = (ranges: readonly LeafRange[]): Hash[] => rootsOf(ranges, tiles) ?? [];
  const whole = { from: 0, to: leaves.length };
  return { size: leaves.length, root: tree.root(), tiles, roots, path: (index) => roots(inclusionRanges(index, whole)) };
}

/** The leaves of the published vectors and of those in test/fixtures/tlog-vectors.txt. */
export function numberedLeaves(count: number): Hash[] {
  return Array.from({ length: count }, (_, number) => leafHash(`leaf ${number}`));
}
