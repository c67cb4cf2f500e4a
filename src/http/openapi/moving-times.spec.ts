import { describe, expect, it } from '@jest/globals';
import { THIS_MONTH, TOMORROW, withTimes, YESTERDAY } from './moving-times.js';

describe('times that stand in examples', () => {
  it('are those of the day on which the document is generated', () => {
    const value = { since: YESTERDAY, list: [TOMORROW], month: THIS_MONTH, other: 'yesterday' };
    expect(withTimes(value, new Date('2026-03-01T00:30:00Z'))).toStrictEqual({
      since: '2026-02-28T09:00:00Z',
      list: ['2026-03-02T09:00:00Z'],
      month: '2026-03',
      other: 'yesterday',
    });
  });
});
