import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type OpenIdProvider, type PendingSignIn, SignInRefused } from '../../src/console/sessions/open-id-provider.js';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.js';

const KEY = { alg: 'RS256', kid: 'k1' };
const HOUR_SECONDS = 3_600;

const newKey = (): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 });
const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function idToken(header: object, claims: object, key: KeyObject): string {
  const content = `${encoded(header)}.${encoded(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

describe('an ID token at the end of a sign-in', () => {
  const { privateKey, publicKey } = newKey();
  let stub: ProviderStub;
  let issuer: string;
  let provider: OpenIdProvider;
  let token: string;

  beforeEach(async () => {
    stub = await startProviderStub((request, response) => {
      const bodies: Record<string, object> = {
        '/.well-known/openid-configuration': {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          id_token_signing_alg_values_supported: ['RS256'],
        },
        '/jwks': { keys: [{ ...publicKey.export({ format: 'jwk' }), ...KEY, use: 'sig' }] },
        '/token': { access_token: 'a', token_type: 'Bearer', id_token: token },
      };
      request.resume();
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(bodies[request.url ?? ''] ?? {}));
    });
    ({ issuer, provider } = stub);
  });

  afterEach(() => stub.close());

  const now = (): number => Math.floor(Date.now() / 1_000);
  const claims = ({ nonce }: PendingSignIn): Record<string, unknown> => ({
    iss: issuer,
    aud: 'rupa-console',
    sub: 'a-1',
    nonce,
    iat: now(),
    exp: now() + HOUR_SECONDS,
    roles: ['rupa-admin'],
  });

  async function signInWith(tokenOf: (pending: PendingSignIn) => string): Promise<unknown> {
    const { pending } = await provider.begin();
    token = tokenOf(pending);
    return await provider.finish(`?code=c&state=${pending.state}`, pending);
  }

  it('signs the person in if it is the provider’s', async () => {
    expect(await signInWith((pending) => idToken(KEY, claims(pending), privateKey))).toMatchObject({ role: 'admin' });
  });

  it('signs the person in if the provider’s clock is a little ahead', async () => {
    expect(await signInWith((pending) => idToken(KEY, { ...claims(pending), iat: now() + 10 }, privateKey))).toMatchObject({
      role: 'admin',
    });
  });

  it.each<[string, (pending: PendingSignIn) => string]>([
    ['a signature by another key', (pending) => idToken(KEY, claims(pending), newKey().privateKey)],
    [
      'claims that were changed after signing',
      (pending) => changed(idToken(KEY, { ...claims(pending), roles: [] }, privateKey), claims(pending)),
    ],
    ['no signature', (pending) => `${encoded({ alg: 'none' })}.${encoded(claims(pending))}.`],
    ['another nonce', (pending) => idToken(KEY, { ...claims(pending), nonce: 'other' }, privateKey)],
    ['no nonce', (pending) => idToken(KEY, { ...claims(pending), nonce: undefined }, privateKey)],
    ['another audience', (pending) => idToken(KEY, { ...claims(pending), aud: 'other' }, privateKey)],
    ['another issuer', (pending) => idToken(KEY, { ...claims(pending), iss: 'https://other.example' }, privateKey)],
    ['a time of issue in the future', (pending) => idToken(KEY, { ...claims(pending), iat: now() + 120 }, privateKey)],
    ['an end in the past', (pending) => idToken(KEY, { ...claims(pending), exp: now() - HOUR_SECONDS }, privateKey)],
  ])('is refused with %s', async (_what, tokenOf) => {
    await expect(signInWith(tokenOf)).rejects.toBeInstanceOf(SignInRefused);
  });
});

function changed(signed: string, claims: object): string {
  const [header = '', , signature = ''] = signed.split('.');
  return [header, encoded(claims), signature].join('.');
}
