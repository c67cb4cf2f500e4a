import { describe, expect, it } from '@jest/globals';
import { compareFees, compareVersions, inOrder } from './compare-fees.js';

describe('the comparison of two price books', () => {
  it('lists only the fees that differ, in the documented order', () => {
    const earlier = { 'svc_fee.identity': 50, 'svc_fee.farms': 80, 'passthrough.bvn': 60 };
    const later = { 'passthrough.bvn': 60.5, 'svc_fee.farms': 80, 'svc_fee.identity': 0 };
    expect(compareFees(earlier, later)).toStrictEqual([
      { fee: 'svc_fee.identity', before: 50, after: 0 },
      { fee: 'passthrough.bvn', before: 60, after: 60.5 },
    ]);
  });

  it('lists a fee that only one of the books has', () => {
    expect(compareFees({ 'svc_fee.farms': 80 }, { 'svc_fee.wallet': 50 })).toStrictEqual([
      { fee: 'svc_fee.wallet', before: null, after: 50 },
      { fee: 'svc_fee.farms', before: 80, after: null },
    ]);
  });

  it('finds no change between equal books', () => {
    expect(compareFees({ 'svc_fee.farms': 80 }, { 'svc_fee.farms': 80 })).toStrictEqual([]);
  });
});

describe('the order of fees', () => {
  it('is the documented one, with fees of other releases last', () => {
    const fees = { 'svc_fee.shoe_size': 1, 'passthrough.bvn': 60, 'svc_fee.identity': 50 };
    expect(Object.entries(inOrder(fees))).toStrictEqual([
      ['svc_fee.identity', 50],
      ['passthrough.bvn', 60],
      ['svc_fee.shoe_size', 1],
    ]);
  });
});

describe('the history of the price book', () => {
  it('compares every version with the one before, newest first', () => {
    const versions = [
      { version: 1, fees: { 'svc_fee.farms': 80 }, vat_percent: 0 },
      { version: 2, fees: { 'svc_fee.farms': 90 }, vat_percent: 7.5 },
      { version: 3, fees: { 'svc_fee.farms': 90 }, vat_percent: 7.5 },
    ];
    expect(compareVersions(versions).map(({ version, changes }) => [version, changes])).toStrictEqual([
      [3, []],
      [
        2,
        [
          { fee: 'vat_percent', before: 0, after: 7.5 },
          { fee: 'svc_fee.farms', before: 80, after: 90 },
        ],
      ],
      [1, null],
    ]);
  });
});
