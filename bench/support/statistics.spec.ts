import { describe, expect, it } from '@jest/globals';
import { alternating, percentile, ratios, slopeOnceFilled, spreadOf } from './statistics.js';

describe('a measurement in rounds', () => {
  it('has a median, a minimum and a maximum', () => {
    expect(spreadOf([3, 1, 2])).toStrictEqual({ median: 2, min: 1, max: 3 });
    expect(spreadOf([1, 2])).toStrictEqual({ median: 1.5, min: 1, max: 2 });
    expect(() => spreadOf([])).toThrow('Nothing was measured.');
  });

  it('is compared round by round', () => {
    expect(ratios([2, 30], [1, 10])).toStrictEqual([2, 3]);
    expect(() => ratios([1], [1, 2])).toThrow('cannot be compared');
  });

  it('alternates the side that is measured first', () => {
    expect(alternating(['A', 'B'], 3)).toStrictEqual([
      ['A', 'B'],
      ['B', 'A'],
      ['A', 'B'],
    ]);
  });
});

describe('a percentile', () => {
  it('is interpolated between the sorted values', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(values, 0.99)).toBeCloseTo(99.01, 5);
  });
});

describe('a slope', () => {
  it('ignores the first quarter of the samples', () => {
    const filling = Array.from({ length: 25 }, (_, x): [number, number] => [x, x * 10]);
    const flat = Array.from({ length: 75 }, (_, x): [number, number] => [25 + x, 250]);
    expect(slopeOnceFilled([...filling, ...flat])).toBeCloseTo(0, 10);
    expect(slopeOnceFilled(filling)).toBeCloseTo(10, 10);
    expect(slopeOnceFilled([[0, 1]])).toBe(0);
  });

  it('ignores a dip, and shows growth in spite of one', () => {
    const dipping = (at: number, grows: number) =>
      Array.from({ length: 100 }, (_, x): [number, number] => [x, 500 + grows * x - (x >= at && x < at + 10 ? 120 : 0)]);
    for (const at of [50, 70, 90]) {
      expect(slopeOnceFilled(dipping(at, 0))).toBeCloseTo(0, 10);
      expect(slopeOnceFilled(dipping(at, 3))).toBeCloseTo(3, 10);
    }
  });
});
