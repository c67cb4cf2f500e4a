import { describe, expect, it } from '@jest/globals';
import { chargeOutcome, type ResponseState, responseOfStale, STALE_AFTER_MS, type StaleCharge, type Sweeper } from './charge-outcome.js';

const OWN = 1;
const OTHER = 2;
const charge: StaleCharge = { lookup_id: 'l1', seenForMs: STALE_AFTER_MS, instance: OTHER, present: true, key: 'none' };
const sweeper = (response: ResponseState = 'abandoned'): Sweeper => ({ instance: OWN, responseOf: () => response });

describe('a charge', () => {
  it.each(['sent', 'stored'] as const)('whose response was %s is settled', (response) => {
    expect(chargeOutcome(response)).toBe('settle');
  });

  it('whose response may still be sent waits', () => {
    expect(chargeOutcome('pending')).toBe('wait');
  });

  it.each(['failed', 'not stored', 'abandoned', 'charged too late', 'failed on purpose'] as const)(
    'whose response is %s is refunded',
    (response) => {
      expect(chargeOutcome(response)).toStrictEqual({ refund: expect.stringMatching(/^\w/) });
    },
  );
});

describe('the response of a stale charge', () => {
  it.each([
    ['stored', 'stored'],
    ['leased', 'pending'],
    ['abandoned', 'abandoned'],
  ] as const)('with a key follows from the key alone: %s means %s', (key, response) => {
    for (const instance of [OWN, OTHER, null])
      for (const present of [true, false]) expect(responseOfStale({ ...charge, key, instance, present }, sweeper('sent'))).toBe(response);
  });

  it.each(['pending', 'sent', 'abandoned'] as const)('that this instance made without a key is what it remembers: %s', (response) => {
    for (const present of [true, false]) expect(responseOfStale({ ...charge, instance: OWN, present }, sweeper(response))).toBe(response);
  });

  it('that another instance made without a key is abandoned only once that instance is gone', () => {
    expect(responseOfStale(charge, sweeper())).toBe('pending');
    expect(responseOfStale({ ...charge, present: false }, sweeper())).toBe('abandoned');
    expect(responseOfStale({ ...charge, present: false, seenForMs: STALE_AFTER_MS - 1 }, sweeper())).toBe('pending');
  });

  it('is abandoned if nobody recorded which instance made the charge', () => {
    expect(responseOfStale({ ...charge, instance: null, present: false }, sweeper())).toBe('abandoned');
  });
});
