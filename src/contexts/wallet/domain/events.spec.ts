import { describe, expect, it } from '@jest/globals';
import { keyIdOf } from './events.js';

describe('the API key of a debit', () => {
  it('is the actor', () => {
    expect(keyIdOf({ actor: 'key:k1' })).toBe('k1');
  });

  it('is the recorded one if the debit has one', () => {
    expect(keyIdOf({ actor: 'key:k1', key_id: 'k2' })).toBe('k2');
  });
});
