import { describe, expect, it } from '@jest/globals';
import { STALE_AFTER_MS, type StaleCharge, staleOutcome, type Sweeper } from './stale-outcome.js';

const OWN = 1;
const OTHER = 2;
const charge: StaleCharge = { lookup_id: 'l1', seenForMs: STALE_AFTER_MS, instance: OTHER, present: true, key: 'none' };
const sweeper = (state: ReturnType<Sweeper['state']> = 'released'): Sweeper => ({ instance: OWN, state: () => state });

describe('a stale charge', () => {
  it.each([
    ['stored', 'settle'],
    ['leased', 'wait'],
    ['abandoned', 'refund'],
  ] as const)('of a lookup with a key is decided by the key alone: %s means %s', (key, outcome) => {
    for (const instance of [OWN, OTHER, null])
      for (const present of [true, false]) expect(staleOutcome({ ...charge, key, instance, present }, sweeper('pending'))).toBe(outcome);
  });

  it.each([
    ['pending', 'wait'],
    ['responded', 'settle'],
    ['released', 'refund'],
  ] as const)('that this instance made without a key, and that is %s, means %s', (state, outcome) => {
    for (const present of [true, false]) expect(staleOutcome({ ...charge, instance: OWN, present }, sweeper(state))).toBe(outcome);
  });

  it('that another instance made without a key is refunded only once that instance is gone', () => {
    expect(staleOutcome(charge, sweeper())).toBe('wait');
    expect(staleOutcome({ ...charge, present: false }, sweeper())).toBe('refund');
    expect(staleOutcome({ ...charge, present: false, seenForMs: STALE_AFTER_MS - 1 }, sweeper())).toBe('wait');
  });

  it('is refunded if nobody recorded which instance made it', () => {
    expect(staleOutcome({ ...charge, instance: null, present: false }, sweeper())).toBe('refund');
  });
});
