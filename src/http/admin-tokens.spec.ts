import { describe, expect, it } from '@jest/globals';
import { actorOf, parseTokens, AdminTokens } from './admin-tokens.js';

const [one, two, three] = ['1'.repeat(24), '2'.repeat(24), '3'.repeat(24)];

describe('the tokens of administrators', () => {
  it('have an optional name', () => {
    expect(parseTokens(`amina:${one}, ${two}`)).toStrictEqual([
      { name: 'amina', token: one },
      { name: null, token: two },
    ]);
    expect(parseTokens(`rupa_admin_${one}`)).toStrictEqual([{ name: null, token: `rupa_admin_${one}` }]);
  });

  it.each(['', 'short', 'amina:short', `a:${one},a:${two}`, `a:${one},b:${one}`, `${one},`, `a b:${one}`])(
    'are rejected as %j',
    (setting) => {
      expect(() => parseTokens(setting)).toThrow();
    },
  );

  it('identify their holder by role, name and a fingerprint that does not reveal the token', () => {
    const tokens = new AdminTokens({ admin: `amina:${one},${two}`, auditor: three });
    const holders = [one, two, three].map((token) => tokens.holder(token));
    expect(holders.map((holder) => holder && actorOf(holder))).toStrictEqual(['admin:amina', 'admin', 'auditor']);
    expect(new Set(holders.map((holder) => holder?.fingerprint)).size).toBe(3);
    for (const holder of holders) expect(holder?.fingerprint).toMatch(/^[0-9a-f]{8}$/);
    for (const wrong of ['', one.slice(1), `amina:${one}`, `${one}1`]) expect(tokens.holder(wrong)).toBeUndefined();
  });
});
