import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claimedRole, displayName } from './claims.js';

const names = { rolesClaim: 'roles', adminRole: 'rupa-admin', auditorRole: 'rupa-auditor' };

describe('the role of a person at an OpenID provider', () => {
  it.each<[string, object, string | undefined]>([
    ['a list', { roles: ['other', 'rupa-auditor'] }, 'auditor'],
    ['a list with both', { roles: ['rupa-auditor', 'rupa-admin'] }, 'admin'],
    ['a text', { roles: 'rupa-admin' }, 'admin'],
    ['a text that only begins like a role', { roles: 'rupa-admins' }, undefined],
    ['an object', { roles: { 'rupa-admin': true } }, undefined],
    ['nothing', {}, undefined],
  ])('comes from %s', (_claim, claims, role) => {
    expect(claimedRole(claims as Record<string, unknown>, names)).toBe(role);
  });

  it('comes from within an object, and from a claim whose name has dots', () => {
    const within = { ...names, rolesClaim: 'realm_access.roles' };
    expect(claimedRole({ realm_access: { roles: ['rupa-auditor'] } }, within)).toBe('auditor');
    expect(claimedRole({ 'realm_access.roles': ['rupa-admin'] }, within)).toBe('admin');
    expect(claimedRole({ realm_access: null }, within)).toBeUndefined();
  });

  it('is none for claims of any other form', () => {
    const anything = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(anything, (claims) => {
        fc.pre(!JSON.stringify(claims).includes('rupa-'));
        expect(claimedRole(claims, { ...names, rolesClaim: Object.keys(claims)[0] ?? 'a.b' })).toBeUndefined();
      }),
    );
  });
});

describe('the name of a person at an OpenID provider', () => {
  it.each([
    [{ preferred_username: 'amina', email: 'a@bank.example', sub: '1' }, 'amina@login.example_8443'],
    [{ preferred_username: ' ', email: 'a@bank.example', sub: '1' }, 'a@bank.example'],
    [{ preferred_username: 7, sub: 'a|1' }, 'a_1@login.example_8443'],
    [{ preferred_username: 'Ọmọ́lará\u0000\n:x', sub: '1' }, 'Ọmọ_lará___x@login.example_8443'],
  ])('of %j is %s', (claims, name) => {
    expect(displayName(claims, 'login.example:8443')).toBe(name);
  });

  it('is never that of a token, and never long', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (sub) => {
        const name = displayName({ sub }, 'login.example');
        expect(name).toMatch(/^[\p{L}\p{N}@._+-]*@[\p{L}\p{N}@._+-]*$/u);
        expect(name.length).toBeLessThan(130);
      }),
    );
  });
});
