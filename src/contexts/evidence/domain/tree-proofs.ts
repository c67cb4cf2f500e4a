import { type Hash, type InclusionProof, rootOf } from './merkle.js';
import { TILE_WIDTH, type TilePlace } from './tiles.js';
import { type Tile } from './tree-edge.js';

/** The leaves from `from` up to, but without, `to`. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the parts of a tree whose roots are the audit path of a leaf, lowest first (RFC 6962, section 2.1.1). */
export function inclusionRanges(index: number, { from, to }: LeafRange): LeafRange[] {
  if (to - from <= 1) return [];
  const split = from + splitOf(to - from);
  return index < split
    ? [...inclusionRanges(index, { from, to: split }), { from: split, to }]
    : [...inclusionRanges(index, { from: split, to }), { from, to: split }];
}

/**
 * Returns the parts of a tree whose roots prove that its first `size` leaves are an earlier tree, lowest first (RFC 6962, section 2.1.2).
 * @param size 1 or more, and at most that of the tree
 */
export function consistencyRanges(size: number, { from, to }: LeafRange, isWhole = true): LeafRange[] {
  if (from + size === to) return isWhole ? [] : [{ from, to }];
  const split = from + splitOf(to - from);
  return from + size <= split
    ? [...consistencyRanges(size, { from, to: split }, isWhole), { from: split, to }]
    : [...consistencyRanges(from + size - split, { from: split, to }, false), { from, to: split }];
}

/** Returns the tiles that hold what {@link rootsOf} needs. */
export function tilesOf(ranges: readonly LeafRange[]): TilePlace[] {
  const places = new Map<string, TilePlace>();
  for (const range of ranges)
    for (const { level, index } of nodesOf(range)) {
      const place = { level: tileLevel(level), index: tileIndex(level, index) };
      places.set(`${place.level}/${place.index}`, place);
    }
  return [...places.values()];
}

/** Returns the roots over parts of a tree, computed from its tiles; undefined if a tile is missing or has too few hashes. */
export function rootsOf(ranges: readonly LeafRange[], tiles: readonly Tile[]): Hash[] | undefined {
  const known = new Map(tiles.map((tile) => [`${tile.level}/${tile.index}`, tile.hashes]));
  const roots: Hash[] = [];
  for (const range of ranges) {
    // A range ends where the tree ends or where a full subtree does, so each node is larger than all that follow it together.
    let root: Hash | undefined;
    for (const { level, index } of nodesOf(range).reverse()) {
      const width = 2 ** (level % TILE_HEIGHT);
      const at = (index * width) % TILE_WIDTH;
      const hashes = known.get(`${tileLevel(level)}/${tileIndex(level, index)}`)?.slice(at, at + width) ?? [];
      if (hashes.length < width) return undefined;
      root = rootOf(root ? [rootOf(hashes), root] : hashes);
    }
    roots.push(root ?? rootOf([]));
  }
  return roots;
}

/** Returns whether a proof of consistency shows that a tree extends an earlier one (RFC 9162, section 2.1.4.2). */
export function isConsistent(
  earlier: { readonly size: number; readonly root: Hash },
  later: { readonly size: number; readonly root: Hash },
  hashes: readonly Hash[],
): boolean {
  if (earlier.size === later.size) return hashes.length === 0 && earlier.root.equals(later.root);
  if (earlier.size <= 0 || earlier.size > later.size) return false;
  const isPowerOfTwo = 2 ** levelOf(earlier.size) === earlier.size;
  const [first, ...path] = isPowerOfTwo ? [earlier.root, ...hashes] : hashes;
  if (!first) return false;
  let [index, last] = [earlier.size - 1, later.size - 1];
  while (index % 2 === 1) [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  let [old, all] = [first, first];
  for (const sibling of path) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      [old, all] = [rootOf([sibling, old]), rootOf([sibling, all])];
      while (index % 2 === 0 && index > 0) [index, last] = [index / 2, Math.floor(last / 2)];
    } else all = rootOf([all, sibling]);
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 && old.equals(earlier.root) && all.equals(later.root);
}

/** Returns the text of a proof of inclusion in the form of https://c2sp.org/tlog-proof. */
export function proofText({ index, hashes }: InclusionProof, note: string): string {
  return ['c2sp.org/tlog-proof@v1', `index ${index}`, ...hashes.map((hash) => hash.toString('base64')), '', note].join('\n');
}

/** A complete subtree over 2^level leaves. */
interface Node {
  readonly level: number;
  readonly index: number;
}

const TILE_HEIGHT = 8;

/** Splits a part of a tree into complete subtrees, largest first. The part begins where a subtree of at least its size would. */
function nodesOf({ from, to }: LeafRange): Node[] {
  const nodes: Node[] = [];
  for (let at = from; at < to;) {
    const level = levelOf(to - at);
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

function tileLevel(level: number): number {
  return Math.floor(level / TILE_HEIGHT);
}

function tileIndex(level: number, index: number): number {
  return Math.floor((index * 2 ** (level % TILE_HEIGHT)) / TILE_WIDTH);
}

/** Returns the largest power of two that is less than a number above 1. */
function splitOf(size: number): number {
  return 2 ** levelOf(size - 1);
}

/** Returns the exponent of the largest power of two that is at most a number. A logarithm would be rounded. */
function levelOf(size: number): number {
  let level = 0;
  while (2 ** (level + 1) <= size) level += 1;
  return level;
}
