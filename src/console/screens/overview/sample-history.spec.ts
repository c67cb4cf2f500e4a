import { describe, expect, it } from '@jest/globals';
import { increaseOver, newest, ratesPerMinute, RingBuffer } from './sample-history.js';

const samples = [
  { atMs: 0, count: 10 },
  { atMs: 15_000, count: 20 },
  { atMs: 45_000, count: 20 },
  { atMs: 60_000, count: 3 },
];
const count = (sample: { readonly count: number }): number => sample.count;

describe('a ring buffer', () => {
  it('returns fewer values than its capacity in their order', () => {
    const buffer = new RingBuffer<number>(3);
    buffer.push(1);
    buffer.push(2);
    expect(buffer.values()).toStrictEqual([1, 2]);
  });

  it('drops the oldest values once it is full', () => {
    const buffer = new RingBuffer<number>(3);
    for (const value of [1, 2, 3, 4, 5, 6, 7]) buffer.push(value);
    expect(buffer.values()).toStrictEqual([5, 6, 7]);
  });
});

describe('the history of a counter', () => {
  it('has a rate for each sample but the first, and takes a fall as a new beginning', () => {
    expect(ratesPerMinute(samples, count)).toStrictEqual([null, 40, 0, 12]);
  });

  it('has no rate between two samples at the same moment', () => {
    expect(
      ratesPerMinute(
        [samples[0], samples[0]].flatMap((each) => each ?? []),
        count,
      ),
    ).toStrictEqual([null, null]);
  });

  it('adds up what the counter has increased by', () => {
    expect(increaseOver(samples, count)).toBe(13);
    expect(increaseOver([], count)).toBe(0);
  });

  it('is cut to the last minutes before its newest sample', () => {
    expect(newest(samples, 15_000).map(({ atMs }) => atMs)).toStrictEqual([45_000, 60_000]);
    expect(newest([], 15_000)).toStrictEqual([]);
  });
});
