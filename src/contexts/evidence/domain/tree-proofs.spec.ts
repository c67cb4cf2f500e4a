import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { numberedLeaves, treeOf, type WholeTree } from '../../../../test/support/unit/tree.js';
import { type Hash, isIncluded, leafHash, rootOf } from './merkle.js';
import { tileAddressText, widthIn } from './tiles.js';
import { TreeEdge } from './tree-edge.js';
import { consistencyRanges, inclusionRanges, isConsistent, proofText, rootsOf, tilesOf } from './tree-proofs.js';

/**
 * The results of Go's golang.org/x/mod/sumdb/tlog for the leaves "leaf 0", "leaf 1" and so on, one tree size a line: the root, and the
 * SHA-256 of all inclusion proofs, of all consistency proofs and of all tiles (each path, a line feed, its bytes). All sizes up
 * to 1,030 were compared once.
 */
const VECTORS = readFileSync('test/fixtures/tlog-vectors.txt', 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' '));
const LEAVES = numberedLeaves(600);
const whole = (size: number) => ({ from: 0, to: size });

function digestOf(parts: Iterable<string | Buffer>): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}

function* inclusionProofs({ size, path }: WholeTree): Generator<Hash> {
  for (let index = 0; index < size; index += 1) yield* path(index);
}

function* consistencyProofs({ size, roots }: WholeTree): Generator<Hash> {
  for (let earlier = 1; earlier <= size; earlier += 1) yield* roots(consistencyRanges(earlier, whole(size)));
}

function* tileContents({ tiles }: WholeTree): Generator<string | Buffer> {
  for (const { level, index, hashes } of tiles) {
    yield `tile/8/${tileAddressText({ level, index, width: hashes.length })}\n`;
    yield* hashes;
  }
}

/** The definition of RFC 6962, section 2.1, word for word. */
function definedRoot(leaves: readonly Hash[]): Hash {
  if (leaves.length <= 1) return rootOf(leaves);
  const split = splitOf(leaves.length);
  return rootOf([definedRoot(leaves.slice(0, split)), definedRoot(leaves.slice(split))]);
}

/** The definition of section 2.1.1. */
function definedPath(index: number, leaves: readonly Hash[]): Hash[] {
  if (leaves.length <= 1) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split ? [...definedPath(index, left), definedRoot(right)] : [...definedPath(index - split, right), definedRoot(left)];
}

/** The definition of section 2.1.2. */
function definedConsistency(size: number, leaves: readonly Hash[], isWhole = true): Hash[] {
  if (size === leaves.length) return isWhole ? [] : [definedRoot(leaves)];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return size <= split
    ? [...definedConsistency(size, left, isWhole), definedRoot(right)]
    : [...definedConsistency(size - split, right, false), definedRoot(left)];
}

function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

const trees = fc.tuple(fc.integer({ min: 1, max: 600 }), fc.nat(), fc.nat()).map(([size, index, earlier]) => ({
  tree: treeOf(LEAVES.slice(0, size)),
  leaves: LEAVES.slice(0, size),
  index: index % size,
  earlier: 1 + (earlier % size),
}));

describe('the tree of the log', () => {
  it.each(VECTORS)('of %s leaves has the root, proofs and tiles that Go computes', (size, root, inclusion, consistency, tiles) => {
    const tree = treeOf(LEAVES.slice(0, Number(size)));
    expect(tree.root.toString('hex')).toBe(root);
    expect(digestOf(inclusionProofs(tree))).toBe(inclusion);
    expect(digestOf(consistencyProofs(tree))).toBe(consistency);
    expect(digestOf(tileContents(tree))).toBe(tiles);
  });

  it('has the root and the proofs that the RFC defines, whatever its size', () => {
    fc.assert(
      fc.property(trees, ({ tree, leaves, index, earlier }) => {
        expect(tree.root).toStrictEqual(definedRoot(leaves));
        expect(tree.path(index)).toStrictEqual(definedPath(index, leaves));
        expect(tree.roots(consistencyRanges(earlier, whole(tree.size)))).toStrictEqual(definedConsistency(earlier, leaves));
      }),
      { numRuns: 50 },
    );
  });

  it('does not depend on the steps in which it grew', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 5 }), (steps) => {
        const total = Math.min(
          LEAVES.length,
          steps.reduce((sum, step) => sum + step, 0),
        );
        const filled = [];
        let [tree, at] = [TreeEdge.EMPTY, 0];
        for (const step of [...steps, LEAVES.length]) {
          const to = Math.min(total, at + step);
          const grown = tree.with(LEAVES.slice(at, to));
          filled.push(...grown.filled);
          [tree, at] = [grown.tree, to];
        }
        const once = TreeEdge.EMPTY.with(LEAVES.slice(0, total));
        expect([tree.size, tree.tiles, filled]).toStrictEqual([total, once.tree.tiles, once.filled]);
        for (const { level, index, hashes } of [...filled, ...tree.tiles]) expect(hashes).toHaveLength(widthIn(total, { level, index }));
      }),
    );
  });

  it('proves each of its leaves and each earlier tree, from the tiles that are named alone', () => {
    fc.assert(
      fc.property(trees, ({ tree, index, earlier }) => {
        const among = (ranges: Parameters<typeof rootsOf>[0]) =>
          rootsOf(
            ranges,
            tree.tiles.filter((tile) => tilesOf(ranges).some((place) => place.level === tile.level && place.index === tile.index)),
          ) ?? [];
        const hashes = among(inclusionRanges(index, whole(tree.size)));
        const former = { size: earlier, root: treeOf(LEAVES.slice(0, earlier)).root };
        expect(isIncluded(LEAVES[index] as Hash, { index, tree_size: tree.size, hashes }, tree.root)).toBe(true);
        expect(isConsistent(former, tree, among(consistencyRanges(earlier, whole(tree.size))))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('has no proof where a tile is missing or has too few hashes', () => {
    const { tiles } = treeOf(LEAVES.slice(0, 300));
    const ranges = inclusionRanges(3, whole(300));
    expect(rootsOf(ranges, tiles.slice(1))).toBeUndefined();
    expect(
      rootsOf(
        ranges,
        tiles.map((tile) => ({ ...tile, hashes: tile.hashes.slice(0, -1) })),
      ),
    ).toBeUndefined();
  });
});

describe('a consistency proof', () => {
  const [earlier, later] = [treeOf(LEAVES.slice(0, 6)), treeOf(LEAVES.slice(0, 11))];
  const hashes = later.roots(consistencyRanges(6, whole(11)));

  it.each([
    ['another earlier root', { ...earlier, root: later.root }, later, hashes],
    ['another later root', earlier, { ...later, root: earlier.root }, hashes],
    ['another earlier size', { ...earlier, size: 5 }, later, hashes],
    ['another later size', earlier, { ...later, size: 12 }, hashes.slice(1)],
    ['a hash less', earlier, later, hashes.slice(1)],
    ['a hash more', earlier, later, [...hashes, later.root]],
    ['swapped hashes', earlier, later, [...hashes].reverse()],
    ['a later tree that is smaller', later, earlier, hashes],
    ['no earlier tree', { ...earlier, size: 0 }, later, hashes],
    ['trees of one size that differ', { ...later, root: earlier.root }, later, []],
  ])('does not hold for %s', (_case, former, latter, proof) => {
    expect(isConsistent(former, latter, proof)).toBe(false);
  });

  it('of the same tree is empty', () => {
    expect(isConsistent(later, later, [])).toBe(true);
    expect(isConsistent(later, later, hashes)).toBe(false);
  });
});

describe('the text of a proof', () => {
  it('is the form of C2SP: the index, the audit path and the note', () => {
    const hashes = [leafHash('a'), leafHash('b')];
    const lines = ['c2sp.org/tlog-proof@v1', 'index 5', ...hashes.map((hash) => hash.toString('base64')), '', 'note', ''];
    expect(proofText({ index: 5, tree_size: 9, hashes }, 'note\n')).toBe(lines.join('\n'));
    expect(proofText({ index: 0, tree_size: 1, hashes: [] }, 'note\n')).toBe('c2sp.org/tlog-proof@v1\nindex 0\n\nnote\n');
  });
});
