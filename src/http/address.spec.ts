import { describe, expect, it } from '@jest/globals';
import { isAllowed, isNetwork } from './address.js';

describe('an allow-list', () => {
  it.each([
    ['203.0.113.7', [], true],
    ['203.0.113.7', ['203.0.113.7'], true],
    ['203.0.113.8', ['203.0.113.7'], false],
    ['203.0.113.8', ['10.0.0.0/8', '203.0.113.0/24'], true],
    ['::ffff:203.0.113.7', ['203.0.113.7'], true],
    ['203.0.113.7', ['::ffff:203.0.113.7'], true],
    ['2001:db8::1', ['2001:db8::/32'], true],
    ['2001:db9::1', ['2001:db8::/32'], false],
    ['2001:db8::1', ['203.0.113.0/24'], false],
    ['not an address', ['0.0.0.0/0'], false],
  ])('%s against %j: %s', (address, cidrs, expected) => {
    expect(isAllowed(address, cidrs)).toBe(expected);
  });

  it('accepts addresses and CIDRs as entries', () => {
    expect(['1.2.3.4', '1.2.3.0/24', '::1', '2001:db8::/32'].map(isNetwork)).toStrictEqual([true, true, true, true]);
    expect(['1.2.3.4/33', 'x', '1.2.3.4/-1', ''].map(isNetwork)).toStrictEqual([false, false, false, false]);
  });
});
