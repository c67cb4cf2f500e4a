import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RepeatedWork } from './repeated-work.js';

describe('repeated work', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('begins no run while one is under way, and stops only after it', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const work = jest.fn(async () => {
      await promise;
    });
    const repeated = new RepeatedWork(1_000, work, () => undefined);
    repeated.start();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(work).toHaveBeenCalledTimes(1);
    const stopped = jest.fn();
    const stopping = repeated.stop().then(stopped);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(stopped).not.toHaveBeenCalled();
    resolve(undefined);
    await stopping;
    await jest.advanceTimersByTimeAsync(3_000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('does not begin after a stop that has overtaken the start', async () => {
    const work = jest.fn(() => Promise.resolve());
    const repeated = new RepeatedWork(1_000, work, () => undefined);
    await repeated.stop();
    repeated.start();
    expect(jest.getTimerCount()).toBe(0);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(work).not.toHaveBeenCalled();
  });

  it('goes on after a failure, which it reports', async () => {
    const failures: unknown[] = [];
    const work = jest.fn(() => Promise.reject(new Error('away')));
    const repeated = new RepeatedWork(1_000, work, (error) => failures.push(String(error)));
    repeated.start();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(failures).toStrictEqual(['Error: away', 'Error: away']);
    await repeated.stop();
  });
});
