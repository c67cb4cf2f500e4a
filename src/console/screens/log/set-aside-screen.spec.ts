import { describe, expect, it } from '@jest/globals';
import { heldUpBy } from './set-aside-screen.js';

describe('what waits for a decision about an event', () => {
  it('says that prices hold up every lookup', () => {
    expect(heldUpBy('pricebook')).toContain('All lookups');
  });

  it('has a sentence for a category that it does not know', () => {
    expect([heldUpBy('ids'), heldUpBy('constructor')]).toStrictEqual(Array(2).fill('Calls that need this stream get 503.'));
  });
});
