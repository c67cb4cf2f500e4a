import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { leafHash } from './merkle.js';
import { hashesIn, parseTileAddress, tileAddressText, widthIn } from './tiles.js';

describe('the address of a tile', () => {
  it.each([
    ['0/000', { level: 0, index: 0, width: 256 }],
    ['0/007.p/12', { level: 0, index: 7, width: 12 }],
    ['1/x001/067', { level: 1, index: 1_067, width: 256 }],
    ['3/x001/x234/067.p/255', { level: 3, index: 1_234_067, width: 255 }],
  ])('%s is one of C2SP', (text, address) => {
    expect(parseTileAddress(text)).toStrictEqual(address);
    expect(tileAddressText(address)).toBe(text);
  });

  it.each([
    '',
    '0',
    '0/0',
    '0/0000',
    '00/000',
    '6/000',
    '-1/000',
    'data/000',
    'entries/000',
    '0/x000/001',
    '0/x001/x002',
    '0/001/002',
    '0/000.p/0',
    '0/000.p/01',
    '0/000.p/256',
    '0/000.p/',
    '0/000/',
    '/0/000',
    `0/${'x999/'.repeat(6)}999`,
  ])('%p is none', (text) => {
    expect(parseTileAddress(text)).toBeUndefined();
  });

  it('is parsed as it is written', () => {
    const addresses = fc.record(
      { level: fc.nat(5), index: fc.nat(2 ** 40), width: fc.integer({ min: 1, max: 256 }) },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(addresses, (address) => {
        expect(parseTileAddress(tileAddressText(address))).toStrictEqual(address);
      }),
    );
  });
});

describe('a tile', () => {
  it('has as many hashes as the tree has', () => {
    const widths = (size: number) => [0, 1, 2].map((level) => [0, 1].map((index) => widthIn(size, { level, index })));
    expect(widths(0)).toStrictEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(widths(256)).toStrictEqual([
      [256, 0],
      [1, 0],
      [0, 0],
    ]);
    expect(widths(65_536 + 300)).toStrictEqual([
      [256, 256],
      [256, 1],
      [1, 0],
    ]);
  });

  it('is its hashes, one after another', () => {
    const hashes = [leafHash('a'), leafHash('b')];
    expect(hashesIn(Buffer.concat(hashes))).toStrictEqual(hashes);
    expect(hashesIn(Buffer.alloc(0))).toStrictEqual([]);
  });
});
