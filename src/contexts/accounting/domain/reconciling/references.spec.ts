import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { comparedKey, ReferenceIndex } from './references.js';

const indexOf = (...references: string[]): ReferenceIndex<string> => new ReferenceIndex(references, (reference) => reference);

describe('a reference in a narration', () => {
  it.each(['INV/2031', 'inv 2031', 'INV2031', 'NIP:ACME-INV_2031/000123', '(INV-2031)', 'ＩＮＶ－２０３１', 'ınv İNV-2031'])(
    'is found in %j',
    (text) => {
      expect(indexOf('INV-2031').longestIn(text)).toStrictEqual({ key: 'inv2031', items: ['INV-2031'] });
    },
  );

  it.each(['INV20311', 'XINV-2031', 'INV-20 312', 'INV 203', '2031', '', '---'])('is not found in %j', (text) => {
    expect(indexOf('INV-2031').longestIn(text)).toBeUndefined();
  });

  it('is the longest of those in the text, and all of equally long ones', () => {
    const index = indexOf('INV-2031', 'INV-2031-B', 'SUB/9', 'inv 2031');
    expect(index.longestIn('SUB 9 INV-2031 B')?.items).toStrictEqual(['INV-2031-B']);
    expect(index.longestIn('INV2031 BC')?.items).toStrictEqual(['INV-2031', 'inv 2031']);
    expect(index.longestIn('INV-2031-B', (item) => item !== 'INV-2031-B')?.items).toStrictEqual(['INV-2031', 'inv 2031']);
    expect(indexOf('AB-1', 'CD-2').longestIn('ab1 cd2 ab 1')?.items).toStrictEqual(['AB-1', 'CD-2']);
  });

  it('may be of any letters, whose marks are not compared, and has at least one letter or digit', () => {
    expect(indexOf('Ọ́WÓ-7').longestIn('owo 7')?.items).toBeUndefined();
    expect(indexOf('Ọ́WÓ-7').longestIn('ọwó/7')?.items).toStrictEqual(['Ọ́WÓ-7']);
    expect(indexOf('7', '***').longestIn('*** 7')?.items).toStrictEqual(['7']);
  });

  it('is found exactly where a run of whole words has its characters', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '1'), minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });
    const separator = fc.constantFrom(' ', '-', '/', ' : ');
    fc.assert(
      fc.property(words, words, separator, (narration, reference, between) => {
        const key = reference.join('');
        const runs = narration.flatMap((_, from) =>
          narration.slice(from).map((_word, count) => narration.slice(from, from + count + 1).join('')),
        );
        expect(indexOf(reference.join('-')).longestIn(narration.join(between))?.key).toBe(runs.includes(key) ? key : undefined);
        expect(comparedKey(narration.join(between))).toBe(narration.join(''));
      }),
    );
  });
});
