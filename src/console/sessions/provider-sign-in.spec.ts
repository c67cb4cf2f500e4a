import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { keptValue, pendingIn } from './provider-sign-in.js';

const pending = { state: 's', nonce: 'n', verifier: 'v' };
const BEGAN = 1_800_000_000_000;
const TEN_MINUTES_MS = 600_000;

describe('a pending sign-in', () => {
  it('can be finished for ten minutes', () => {
    const value = keptValue(pending, BEGAN);
    expect(pendingIn(value, BEGAN + TEN_MINUTES_MS - 1)).toStrictEqual(pending);
    expect(pendingIn(value, BEGAN + TEN_MINUTES_MS)).toBeUndefined();
  });

  it('is not in the cookie of a session, which has the same signature', () => {
    expect(pendingIn(randomBytes(32).toString('base64url'), BEGAN)).toBeUndefined();
    expect(pendingIn('', BEGAN)).toBeUndefined();
  });
});
