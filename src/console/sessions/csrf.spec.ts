import { describe, expect, it } from '@jest/globals';
import { createSecretKey } from 'node:crypto';
import { CsrfTokens } from './csrf.js';

const [old, current] = [createSecretKey(Buffer.alloc(32, 1)), createSecretKey(Buffer.alloc(32, 2))];

describe('the token of a session’s forms', () => {
  it('matches its own session only', () => {
    const tokens = new CsrfTokens(() => [current]);
    expect([tokens.matches('one', tokens.of('one')), tokens.matches('two', tokens.of('one'))]).toStrictEqual([true, false]);
  });

  it('stays valid after the key was rotated, until the old key is removed', () => {
    const token = new CsrfTokens(() => [old]).of('one');
    expect(new CsrfTokens(() => [current, old]).matches('one', token)).toBe(true);
    expect(new CsrfTokens(() => [current]).matches('one', token)).toBe(false);
  });

  it('is no prefix, and never empty', () => {
    const tokens = new CsrfTokens(() => [current]);
    for (const other of ['', tokens.of('one').slice(0, -1), `${tokens.of('one')}A`]) expect(tokens.matches('one', other)).toBe(false);
  });
});
