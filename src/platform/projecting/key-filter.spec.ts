import { describe, expect, it } from '@jest/globals';
import { KeyFilter } from './key-filter.js';

const MANY = 20_000;
const key = (name: string, number: number): string => JSON.stringify([`${name}-${number}`, '2026-03-01']);

describe('the filter of keys', () => {
  it('knows every key that was added, and next to none that was not', () => {
    const filter = new KeyFilter();
    for (let number = 0; number < MANY; number += 1) filter.add(key('in', number));
    let unknown = 0;
    let mistaken = 0;
    for (let number = 0; number < MANY; number += 1) {
      if (!filter.mayHold(key('in', number))) unknown += 1;
      if (filter.mayHold(key('out', number))) mistaken += 1;
    }
    expect(unknown).toBe(0);
    expect(mistaken).toBeLessThan(MANY / 1_000);
  });
});
