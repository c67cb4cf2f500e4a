import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isIPv4 } from 'node:net';
import { canonicalAddress, canonicalNetwork, isAllowed, isNetwork, networkOf } from './address.js';

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

  it.each([
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['::ffff:0:0/96', '203.0.113.7', true],
    ['::ffff:10.0.0.0/90', '10.0.0.0', false],
  ])('of an earlier release with %s matches %s: %s', (cidr, address, expected) => {
    expect(isAllowed(address, [cidr])).toBe(expected);
  });

  it('accepts addresses and CIDRs in their usual notation as entries', () => {
    const entries = ['1.2.3.4', '1.2.3.0/24', '::1', '2001:DB8:0::/32', '::ffff:1.2.3.4', '::ffff:1.2.3.0/120'];
    expect(entries.map(canonicalNetwork)).toStrictEqual(['1.2.3.4', '1.2.3.0/24', '::1', '2001:db8::/32', '1.2.3.4', '1.2.3.0/24']);
    expect(entries.map(isNetwork)).not.toContain(false);
  });

  it.each(
    [
      '1.2.3.4/33',
      'x',
      '1.2.3.4/-1',
      '',
      '1.2.3.4/',
      '1.2.3.4/8/8',
      '10.0.0',
      '127.1',
      '010.0.0.1',
      '0x7f.0.0.1',
      '2130706433',
      '10/8',
    ].concat(['10.0.0/8', '010.0.0.0/8', '::ffff:010.0.0.1', '::ffff:10.0.0.0/90', 'fe80::1%eth0', ' 1.2.3.4', '1.2.3.4\n']),
  )('refuses the entry %j', (entry) => {
    expect(isNetwork(entry)).toBe(false);
  });

  it('accepts a prefix length only as it is written in canonical notation', () => {
    const bits = fc.oneof(
      fc.nat(140).map(String),
      fc.constantFrom('08', '008', '00', '+8', '-0', '8.0', '0x8', '8e0', ' 8', '8 ', '８', ''),
    );
    fc.assert(
      fc.property(fc.constantFrom(['10.0.0.0', 32] as const, ['2001:db8::', 128] as const), bits, ([address, most], text) => {
        expect(isNetwork(`${address}/${text}`)).toBe(String(Number(text)) === text && Number(text) >= 0 && Number(text) <= most);
      }),
    );
  });

  it('accepts exactly the IPv4 addresses that node:net accepts', () => {
    const part = fc.oneof(fc.nat(300).map(String), fc.constantFrom('0', '00', '01', '0x1', '', '256', '-1'));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        expect(isNetwork(parts.join('.'))).toBe(isIPv4(parts.join('.')));
      }),
    );
  });
});

describe('the canonical form of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:49152', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:49152', '203.0.113.7'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]:49152', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('of %j is %j', (address, canonical) => {
    expect(canonicalAddress(address)).toBe(canonical);
  });

  it('is the same for all spellings of an address, with or without a port', () => {
    const port = fc.integer({ min: 0, max: 65_535 });
    fc.assert(
      fc.property(fc.ipV4(), port, (address, number) => {
        const spellings = [address, `${address}:${number}`, `::ffff:${address}`, `[::ffff:${address}]:${number}`];
        expect(new Set(spellings.map(canonicalAddress))).toStrictEqual(new Set([address]));
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), port, (address, number) => {
        const spellings = [address, address.toUpperCase(), `[${address}]`, `[${address}]:${number}`];
        const [canonical, ...others] = new Set(spellings.map(canonicalAddress));
        expect(others).toStrictEqual([]);
        expect(canonicalAddress(canonical ?? '')).toBe(canonical);
      }),
    );
  });
});

describe('the network that limits count', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2::7', '2001:db8:1:2'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['/run/socket', '/run/socket'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
