import { describe, expect, it } from '@jest/globals';
import { dueSince, secondsOverdue } from './due.js';

describe('a checkpoint', () => {
  it('is due from the day after the last one', () => {
    const times = { last: '2026-11-20T23:59:59.999Z', firstMovement: '2026-01-01' };
    expect(dueSince(times)).toStrictEqual(new Date('2026-11-21T00:00:00.000Z'));
    expect(dueSince({ ...times, last: '2026-11-20T00:00:00.000Z' })).toStrictEqual(new Date('2026-11-21T00:00:00.000Z'));
    expect(secondsOverdue(times, new Date('2026-11-20T23:59:59.999Z'))).toBe(0);
    expect(secondsOverdue(times, new Date('2026-11-21T01:00:00.000Z'))).toBe(3_600);
  });

  it('is due for the first time from the day after the first movement of money', () => {
    expect(dueSince({ last: null, firstMovement: '2026-11-20' })).toStrictEqual(new Date('2026-11-21T00:00:00.000Z'));
  });

  it('is not due before money has moved', () => {
    expect(dueSince({ last: null, firstMovement: null })).toBeUndefined();
    expect(secondsOverdue({ last: null, firstMovement: null }, new Date())).toBe(0);
  });
});
