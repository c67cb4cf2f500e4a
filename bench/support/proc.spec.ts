import { describe, expect, it } from '@jest/globals';
import { isBusy, noiseBetween } from './noise.js';
import { parseMachineTime, parseStat } from './proc.js';

describe('/proc', () => {
  it('is parsed for a process whose name has blanks and parentheses', () => {
    const line = '42 (a (b) c) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 20 30 20 0 11 0 100 1 2';
    expect(parseStat(line)).toStrictEqual({ pid: 42, parent: 7, name: 'a (b) c', cpuSeconds: 2.5, ownCpuSeconds: 2 });
  });

  it('is parsed for the busy time and the steal time of all cores', () => {
    expect(parseMachineTime('cpu  100 50 200 600 40 5 5 100 0 0\ncpu0 1 1 1 1\n')).toStrictEqual({
      totalSeconds: 11,
      busySeconds: 3.6,
      stolenSeconds: 1,
    });
  });
});

describe('noise', () => {
  const before = { totalSeconds: 0, busySeconds: 0, stolenSeconds: 0, ownSeconds: 0 };

  it('is the busy time that is not our own', () => {
    expect(noiseBetween(before, { totalSeconds: 20, busySeconds: 15, stolenSeconds: 1, ownSeconds: 13 })).toStrictEqual({
      others: 0.1,
      stolen: 0.05,
    });
    expect(noiseBetween(before, { totalSeconds: 20, busySeconds: 15, stolenSeconds: 0, ownSeconds: 16 }).others).toBe(0);
    expect(noiseBetween(before, before)).toStrictEqual({ others: 0, stolen: 0 });
  });

  it('marks a machine as busy above the limits', () => {
    expect(isBusy({ others: 0.2, stolen: 0 })).toBe(true);
    expect(isBusy({ others: 0, stolen: 0.1 })).toBe(true);
    expect(isBusy({ others: 0.01, stolen: 0 })).toBe(false);
  });
});
