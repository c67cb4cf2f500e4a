import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../test/support/unit/manual-clock.js';
import { ASKED_EVERY_MS, HourlyVerification } from './hourly-verification.js';

describe('the hourly verification', () => {
  let clock: ManualClock;
  let stopping: AbortController;
  let running: Promise<void>;
  /** The tables and the lease respond with these. */
  let state: { mayVerify: boolean; isDue: boolean; isHeld: boolean };
  let ends: boolean[];
  let failures: unknown[];
  /** The verifications so far. */
  let begun: { readonly signal: AbortSignal; readonly end: () => void; readonly fail: (error: unknown) => void }[];

  beforeEach(() => {
    [clock, stopping, state] = [new ManualClock(), new AbortController(), { mayVerify: true, isDue: false, isHeld: true }];
    [ends, failures, begun] = [[], [], []];
    const hourly = new HourlyVerification({
      clock,
      lease: {
        claim: () => Promise.resolve(state.isDue),
        renew: () => Promise.resolve(state.isHeld),
        end: (isDone) => {
          ends.push(isDone);
          return Promise.resolve();
        },
      },
      mayVerify: () => Promise.resolve(state.mayVerify),
      verify: (signal) =>
        new Promise((resolve, reject) => {
          begun.push({ signal, end: resolve, fail: reject });
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
      onFailed: (error) => failures.push(error),
    });
    running = hourly.run(stopping.signal);
  });
  const minutes = async (count: number): Promise<void> => {
    for (let minute = 0; minute < count; minute += 1) await clock.advance(ASKED_EVERY_MS);
  };
  afterEach(async () => {
    stopping.abort();
    await minutes(3);
    await running;
  });

  it('begins once one is due, and begins no other before that one has ended', async () => {
    await minutes(1);
    expect(begun).toHaveLength(0);
    state.isDue = true;
    await minutes(10);
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    await minutes(3);
    expect([ends, begun.length, failures]).toStrictEqual([[true], 2, []]);
  });

  it('leaves the tables of another release to that release', async () => {
    Object.assign(state, { mayVerify: false, isDue: true });
    await minutes(3);
    expect(begun).toHaveLength(0);
    state.mayVerify = true;
    await minutes(1);
    expect(begun).toHaveLength(1);
  });

  it('goes on after one that failed', async () => {
    state.isDue = true;
    await minutes(1);
    const error = new Error('The event store does not respond.');
    begun[0]?.fail(error);
    await minutes(3);
    expect([ends, failures, begun.length]).toStrictEqual([[false], [error], 2]);
  });

  it('ends one whose lease was lost, because another process may have begun one', async () => {
    state.isDue = true;
    await minutes(1);
    Object.assign(state, { isHeld: false, isDue: false });
    await minutes(3);
    expect(begun.map(({ signal }) => signal.aborted)).toStrictEqual([true]);
    expect(failures).toMatchObject([{ message: expect.stringContaining('lease') }]);
  });

  it('ends one when the process stops, which is no failure', async () => {
    state.isDue = true;
    await minutes(1);
    stopping.abort();
    await minutes(3);
    await running;
    expect([ends, failures]).toStrictEqual([[false], []]);
  });
});
