import { describe, expect, it } from '@jest/globals';
import { endOfDay, startOfDay } from './paging.js';

describe('a time window', () => {
  it('contains its last day, and ends at a timestamp exactly', () => {
    expect([startOfDay('2026-03-01'), endOfDay('2026-03-31')]).toStrictEqual(['2026-03-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z']);
    const timestamp = '2026-03-01T10:00:00+01:00';
    expect([startOfDay(timestamp), endOfDay(timestamp)]).toStrictEqual([timestamp, timestamp]);
  });

  it('is open where no bound is given', () => {
    expect([startOfDay(undefined), endOfDay(undefined)]).toStrictEqual([undefined, undefined]);
  });
});
