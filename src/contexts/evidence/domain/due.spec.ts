import { describe, expect, it } from '@jest/globals';
import { dueSince, secondsOverdue } from './due.js';

const HOUR = 3_600;

describe('a checkpoint', () => {
  it('is due an interval after the last one', () => {
    const times = { last: '2026-11-20T22:30:00.000Z', firstEvent: '2026-11-20T22:31:00.000Z' };
    expect(dueSince(times, HOUR)).toStrictEqual(new Date('2026-11-20T23:30:00.000Z'));
    expect(secondsOverdue(times, HOUR, new Date('2026-11-20T23:29:59.999Z'))).toBe(0);
    expect(secondsOverdue(times, HOUR, new Date('2026-11-20T23:31:00.000Z'))).toBe(60);
  });

  it('is due with the next event where nothing was appended for longer than the interval', () => {
    const times = { last: '2026-11-20T22:30:00.000Z', firstEvent: '2026-11-22T07:00:00.000Z' };
    expect(dueSince(times, HOUR)).toStrictEqual(new Date('2026-11-22T07:00:00.000Z'));
  });

  it('is due for the first time an interval after the first event', () => {
    expect(dueSince({ last: null, firstEvent: '2026-11-20T12:00:00.000Z' }, 60)).toStrictEqual(new Date('2026-11-20T12:01:00.000Z'));
  });

  it('is not due while the last one covers everything', () => {
    expect(dueSince({ last: null, firstEvent: null }, HOUR)).toBeUndefined();
    expect(secondsOverdue({ last: '2026-11-20T22:30:00.000Z', firstEvent: null }, HOUR, new Date())).toBe(0);
  });
});
