import { describe, expect, it } from '@jest/globals';
import { createSecretKey } from 'node:crypto';
import { type FastifyRequest } from 'fastify';
import { AdminTokens } from '../../http/authenticating/admin-tokens.js';
import { CsrfTokens } from './csrf.js';
import { type SessionStore } from './session-store.js';
import { Sessions } from './sessions.js';

const TOKEN = `amina:${'a'.repeat(24)}`;
const tokensOf = (admin: string): AdminTokens => new AdminTokens({ admin, auditor: 'b'.repeat(24) });
const holder = tokensOf(TOKEN).holder('a'.repeat(24));

/** A request whose cookie is signed and names the session `s1`. */
const request = {
  cookies: { rupa_session: 'signed' },
  unsignCookie: () => ({ valid: true, renew: false, value: 's1' }),
} as unknown as FastifyRequest;

function sessionsOf(found: object | undefined, tokens: AdminTokens, provider?: { knows: () => boolean }): Sessions {
  const store = { find: () => Promise.resolve(found) } as unknown as SessionStore;
  return new Sessions({ store, tokens, provider, csrf: new CsrfTokens(() => [createSecretKey(Buffer.alloc(32))]), secure: false });
}

describe('the person of a session', () => {
  it('is the holder of the token that began it', async () => {
    expect(await sessionsOf(holder, tokensOf(TOKEN)).personOf(request)).toMatchObject({ role: 'admin', name: 'amina' });
  });

  it('is nobody once the token was withdrawn', async () => {
    expect(await sessionsOf(holder, tokensOf(`amina:${'c'.repeat(24)}`)).personOf(request)).toBeUndefined();
  });

  it('is nobody once the token belongs to another role', async () => {
    const moved = new AdminTokens({ admin: 'c'.repeat(24), auditor: TOKEN });
    expect(await sessionsOf(holder, moved).personOf(request)).toBeUndefined();
  });

  it('needs no token while the OpenID provider that signed the person in is configured', async () => {
    const person = { role: 'auditor', name: 'bode@login.example', fingerprint: 'oidc:1:2' };
    expect(await sessionsOf(person, tokensOf(TOKEN), { knows: () => true }).personOf(request)).toMatchObject(person);
    expect(await sessionsOf(person, tokensOf(TOKEN), { knows: () => false }).personOf(request)).toBeUndefined();
    expect(await sessionsOf(person, tokensOf(TOKEN)).personOf(request)).toBeUndefined();
  });

  it('is nobody without a session', async () => {
    expect(await sessionsOf(undefined, tokensOf(TOKEN)).personOf(request)).toBeUndefined();
  });
});
