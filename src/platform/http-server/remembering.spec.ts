import { describe, expect, it } from '@jest/globals';
import { remembering } from './address.js';

describe('a function of addresses with a memory', () => {
  it('parses an address once', () => {
    const parsed: string[] = [];
    const parse = remembering((address) => {
      parsed.push(address);
      return address.toUpperCase();
    });
    expect([parse('::a'), parse('::b'), parse('::a')]).toStrictEqual(['::A', '::B', '::A']);
    expect(parsed).toStrictEqual(['::a', '::b']);
  });

  it('keeps no text that is too long for an address, and none for ever', () => {
    let parsed = 0;
    const parse = remembering((address) => {
      parsed += 1;
      return address;
    });
    const long = 'x'.repeat(65);
    for (const address of [long, long]) expect(parse(address)).toBe(long);
    expect(parsed).toBe(2);
    parse('first');
    for (let n = 0; n < 10_000; n += 1) parse(`10.0.${n}`);
    parsed = 0;
    parse('first');
    expect(parsed).toBe(1);
  });
});
