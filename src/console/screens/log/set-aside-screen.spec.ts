import { describe, expect, it } from '@jest/globals';
import { heldUpBy } from './set-aside-screen.js';

describe('what waits for a decision about an event', () => {
  it('says that prices hold up every lookup', () => {
    expect(heldUpBy('pricebook')).toContain('All lookups');
  });

  it.each(['wallet', 'partner', 'ledger'])('says that the books are not summed up without an event of the category %s', (category) => {
    expect(heldUpBy(category)).toContain('reports of the books');
  });

  it('has a sentence for a category that it does not know', () => {
    expect([heldUpBy('ids'), heldUpBy('constructor')]).toStrictEqual(Array(2).fill('Calls that need this stream get 503.'));
  });
});
