import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { numberedLeaves, treeOf } from '../../../../test/support/unit/tree.js';
import { edgeTiles } from './tiles.js';
import { TreeEdge } from './tree-edge.js';

const MAX = 1_600;
const leaves = numberedLeaves(MAX);
const anySize = fc.oneof(fc.nat(MAX), fc.constantFrom(1, 255, 256, 257, 511, 512, 513, 1_024));

describe('the edge of a tree', () => {
  it('is that of the tiles of a larger tree, and grows like the tree that was computed from all leaves', () => {
    fc.assert(
      fc.property(anySize, anySize, (one, other) => {
        const [size, later] = [Math.min(one, other), Math.max(one, other)];
        const edge = TreeEdge.of(size, treeOf(leaves.slice(0, later)).tiles);
        const whole = TreeEdge.EMPTY.with(leaves.slice(0, size)).tree;
        expect(edge?.root()).toStrictEqual(whole.root());
        expect(edge?.tiles).toStrictEqual(whole.tiles);
        const more = leaves.slice(size, later);
        expect(edge?.with(more)).toStrictEqual(whole.with(more));
      }),
    );
  });

  it('is not known without each of its tiles in their whole width', () => {
    fc.assert(
      fc.property(anySize, (size) => {
        const { tiles } = treeOf(leaves.slice(0, size));
        for (const { level, index, width } of edgeTiles(size)) {
          const others = tiles.filter((tile) => tile.level !== level || tile.index !== index);
          const short = tiles.map((tile) => (others.includes(tile) ? tile : { ...tile, hashes: tile.hashes.slice(0, width - 1) }));
          expect([TreeEdge.of(size, others), TreeEdge.of(size, short)]).toStrictEqual([undefined, undefined]);
        }
      }),
    );
  });
});
