import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actorOf, parseTokens, AdminTokens, shareToken } from './admin-tokens.js';

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

  it('are listed by holder without their secrets, administrators first', () => {
    const [one, other] = ['a'.repeat(24), 'b'.repeat(24)];
    const holders = new AdminTokens({ admin: `amina:${one}`, auditor: other }).holders();
    expect(holders.map(({ role, name }) => [role, name])).toStrictEqual([
      ['admin', 'amina'],
      ['auditor', null],
    ]);
    for (const holder of holders) expect(Object.keys(holder)).toStrictEqual(['role', 'name', 'fingerprint']);
  });

  it('are shared exactly if one token stands in both settings, whatever its name and place', () => {
    const token = fc.stringMatching(/^[a-z0-9]{24}$/);
    const holder = fc.option(fc.stringMatching(/^[a-z]{3}$/), { nil: undefined });
    const text = (tokens: readonly string[], name: string | undefined): string =>
      tokens.map((each, index) => (name === undefined ? each : `${name}${index}:${each}`)).join(',');
    fc.assert(
      fc.property(
        fc.uniqueArray(token, { minLength: 3, maxLength: 6 }),
        holder,
        holder,
        fc.nat(5),
        ([common = '', ...others], first, second, at) => {
          const half = Math.ceil(others.length / 2);
          const [admins, auditors] = [others.slice(0, half), others.slice(half)];
          expect(shareToken(text(admins, first), text(auditors, second))).toBe(false);
          expect(shareToken(text(admins.toSpliced(at, 0, common), first), text(auditors.toSpliced(at, 0, common), second))).toBe(true);
        },
      ),
    );
  });
});
