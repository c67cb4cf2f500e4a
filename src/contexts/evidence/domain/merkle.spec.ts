import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { treeOf } from '../../../../test/support/unit/tree.js';
import { type Hash, isIncluded, leafHash, rootOf } from './merkle.js';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** The published vectors of https://github.com/transparency-dev/merkle, proof/verify_test.go. The RFC itself has none. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(hex);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const EMPTY_ROOT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const PATHS = [
  { index: 0, size: 1, path: [] },
  {
    index: 0,
    size: 8,
    path: [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  },
  {
    index: 5,
    size: 8,
    path: [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  },
  { index: 2, size: 3, path: ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'] },
  {
    index: 1,
    size: 5,
    path: [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  },
];

const hashes = LEAVES.map(leafHash);
const sizes = fc.integer({ min: 1, max: 70 });
const trees = fc.tuple(sizes, fc.nat()).map(([size, index]) => ({
  leaves: Array.from({ length: size }, (_, number) => leafHash(`leaf ${number}`)),
  index: index % size,
}));

/** The definition of RFC 6962, section 2.1, word for word. */
function definedRoot(leaves: readonly Hash[]): Hash {
  if (leaves.length <= 1) return rootOf(leaves);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return rootOf([definedRoot(leaves.slice(0, split)), definedRoot(leaves.slice(split))]);
}

describe('a Merkle tree', () => {
  it('has the published roots', () => {
    expect(rootOf([]).toString('hex')).toBe(EMPTY_ROOT);
    expect(ROOTS.map((_, index) => rootOf(hashes.slice(0, index + 1)).toString('hex'))).toStrictEqual(ROOTS);
  });

  it.each(PATHS)('has the published path of leaf $index of $size', ({ index, size, path }) => {
    const found = treeOf(hashes.slice(0, size)).path(index);
    expect(found.map((each) => each.toString('hex'))).toStrictEqual(path);
    const proof = { index, tree_size: size, hashes: found };
    expect(isIncluded(hashes[index] as Hash, proof, hex(ROOTS[size - 1] as string))).toBe(true);
  });

  it('has the root that the RFC defines, for any number of leaves', () => {
    fc.assert(fc.property(trees, ({ leaves }) => rootOf(leaves).equals(definedRoot(leaves))));
  });

  it('has the same root when it is combined from parts of equal size', () => {
    fc.assert(
      fc.property(trees, fc.constantFrom(1, 2, 4, 8, 16), ({ leaves }, part) => {
        const parts = Array.from({ length: Math.ceil(leaves.length / part) }, (_, at) => leaves.slice(at * part, (at + 1) * part));
        return rootOf(parts.map(rootOf)).equals(rootOf(leaves));
      }),
    );
  });

  it('proves each of its leaves', () => {
    fc.assert(
      fc.property(trees, ({ leaves, index }) => {
        const proof = { index, tree_size: leaves.length, hashes: treeOf(leaves).path(index) };
        return isIncluded(leaves[index] as Hash, proof, rootOf(leaves));
      }),
    );
  });
});

describe('an inclusion proof', () => {
  const [leaf, root] = [hashes[5] as Hash, hex(ROOTS[7] as string)];
  const proof = { index: 5, tree_size: 8, hashes: treeOf(hashes).path(5) };
  const [first, second, third] = proof.hashes as [Hash, Hash, Hash];

  it.each([
    ['another leaf', hashes[4] as Hash, proof, root],
    ['another root', leaf, proof, hex(ROOTS[6] as string)],
    ['another index', leaf, { ...proof, index: 4 }, root],
    ['an index beyond the tree', leaf, { ...proof, index: 8 }, root],
    ['a negative index', leaf, { ...proof, index: -1 }, root],
    ['half the tree size', leaf, { ...proof, tree_size: 6, index: 5 }, root],
    ['twice the tree size', leaf, { ...proof, tree_size: 16 }, root],
    ['a hash less', leaf, { ...proof, hashes: [first, second] }, root],
    ['a hash more', leaf, { ...proof, hashes: [...proof.hashes, root] }, root],
    ['swapped hashes', leaf, { ...proof, hashes: [second, first, third] }, root],
    ['no tree', leaf, { index: 0, tree_size: 0, hashes: [] }, leaf],
  ])('does not hold for %s', (_case, hash, tampered, expected) => {
    expect(isIncluded(hash, tampered, expected)).toBe(false);
  });
});
