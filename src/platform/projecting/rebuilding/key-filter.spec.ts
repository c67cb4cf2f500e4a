import { describe, expect, it } from '@jest/globals';
import { KeyFilter } from './key-filter.js';

const MANY = 20_000;
const key = (name: string, number: number): string => JSON.stringify([`${name}-${number}`, '2026-03-01']);

describe('the Bloom filter of keys', () => {
  it('has no false negatives and few false positives', () => {
    const filter = new KeyFilter();
    for (let number = 0; number < MANY; number += 1) filter.add(key('in', number));
    let falseNegatives = 0;
    let falsePositives = 0;
    for (let number = 0; number < MANY; number += 1) {
      if (!filter.mayHold(key('in', number))) falseNegatives += 1;
      if (filter.mayHold(key('out', number))) falsePositives += 1;
    }
    expect(falseNegatives).toBe(0);
    expect(falsePositives).toBeLessThan(MANY / 1_000);
  });
});
