import { hash } from 'node:crypto';

/** A SHA-256, 32 bytes. */
export type Hash = Buffer;

export const HASH_BYTES = 32;
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Returns the hash of a leaf (RFC 6962, section 2.1). */
export function leafHash(leaf: string | Buffer): Hash {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(leaf)]), 'buffer');
}

function nodeHash(left: Hash, right: Hash): Hash {
  return hash('sha256', Buffer.concat([NODE, left, right]), 'buffer');
}

/**
 * Returns the Merkle tree hash of leaf hashes (RFC 6962, section 2.1). The same function combines the roots of consecutive parts of a tree,
 * if all parts but the last have the same number of leaves, that number is a power of two, and the last part has no more.
 */
export function rootOf(hashes: readonly Hash[]): Hash {
  if (hashes.length === 0) return hash('sha256', '', 'buffer');
  let level = hashes;
  while (level.length > 1) level = parents(level);
  return level[0] as Hash;
}

/** A hash without a sibling moves up unchanged, which gives the unbalanced tree of the RFC for any number of leaves. */
function parents(level: readonly Hash[]): Hash[] {
  const above: Hash[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = [level[at] as Hash, level[at + 1]];
    above.push(right ? nodeHash(left, right) : left);
  }
  return above;
}

/** The position of a leaf in a tree, with its audit path. */
export interface InclusionProof {
  readonly index: number;
  readonly tree_size: number;
  /** The audit path, lowest first. */
  readonly hashes: readonly Hash[];
}

/** Returns whether the proof shows that the leaf is in the tree with that root (RFC 9162, section 2.1.3.2). */
export function isIncluded(leaf: Hash, { index: leafIndex, tree_size, hashes }: InclusionProof, root: Hash): boolean {
  if (leafIndex < 0 || leafIndex >= tree_size) return false;
  let [index, last, found] = [leafIndex, tree_size - 1, leaf];
  for (const sibling of hashes) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      found = nodeHash(sibling, found);
      while (index % 2 === 0 && index > 0) [index, last] = [index / 2, Math.floor(last / 2)];
    } else found = nodeHash(found, sibling);
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 && found.equals(root);
}
