import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, sign } from 'node:crypto';
import { type ServerResponse } from 'node:http';
import { type OpenIdProvider, ProviderUnavailable } from '../../src/console/sessions/open-id-provider.js';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.js';

type Path = '/.well-known/openid-configuration' | '/jwks' | '/token' | '/userinfo';
const PATHS: readonly Path[] = ['/.well-known/openid-configuration', '/jwks', '/token', '/userinfo'];
const KEY = { alg: 'RS256', kid: 'k1' };
const HOUR_SECONDS = 3_600;
const TWO_MEBIBYTES = 2_097_152;

/** Responds to a request in place of the provider. @param body of the response that the provider would send */
type Trouble = (response: ServerResponse, body: object) => void;

const TROUBLES: readonly (readonly [name: string, trouble: Trouble])[] = [
  ['an error of its own', (response, body) => response.writeHead(503).end(JSON.stringify(body))],
  ['a page instead of JSON', (response) => response.setHeader('Content-Type', 'text/html').end('<h1>We are back soon</h1>')],
  ['JSON that is cut off', (response, body) => response.end(JSON.stringify(body).slice(0, -1))],
  ['a mebibyte too much', (response, body) => response.end(JSON.stringify({ ...body, more: 'a'.repeat(TWO_MEBIBYTES) }))],
];

describe('a sign-in at an OpenID provider', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  let stub: ProviderStub;
  let issuer: string;
  let provider: OpenIdProvider;
  let nonce: string;
  let troubleAt: (path: string) => Trouble | undefined;

  beforeEach(async () => {
    troubleAt = () => undefined;
    stub = await startProviderStub((request, response) => {
      const bodies: Record<string, object> = {
        '/.well-known/openid-configuration': configuration(),
        '/jwks': { keys: [{ ...publicKey.export({ format: 'jwk' }), ...KEY, use: 'sig' }] },
        '/token': { access_token: 'a', token_type: 'Bearer', id_token: idToken() },
        '/userinfo': { sub: 'a-1', roles: ['rupa-admin'] },
      } satisfies Record<Path, object>;
      request.resume();
      response.setHeader('Content-Type', 'application/json');
      const body = bodies[request.url ?? ''] ?? {};
      const trouble = troubleAt(request.url ?? '');
      if (trouble) trouble(response, body);
      else response.end(JSON.stringify(body));
    });
    ({ issuer, provider } = stub);
  });

  afterEach(() => stub.close());

  const configuration = (): Record<string, unknown> => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    id_token_signing_alg_values_supported: ['RS256'],
  });

  function idToken(): string {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, aud: 'rupa-console', sub: 'a-1', nonce, iat: now, exp: now + HOUR_SECONDS };
    const content = [KEY, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`;
  }

  async function signIn(): Promise<unknown> {
    const { pending } = await provider.begin();
    nonce = pending.nonce;
    return await provider.finish(`?code=c&state=${pending.state}`, pending);
  }

  describe.each(PATHS)('with trouble at %s', (path) => {
    it.each(TROUBLES)('says that the provider is unavailable for %s, and succeeds once it has ended', async (_name, trouble) => {
      troubleAt = (each) => (each === path ? trouble : undefined);
      await expect(signIn()).rejects.toBeInstanceOf(ProviderUnavailable);
      troubleAt = () => undefined;
      expect(await signIn()).toMatchObject({ role: 'admin' });
    });
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
    'says that the provider is unavailable while it names no %s, and succeeds once it does',
    async (name) => {
      const incomplete: Trouble = (response) => response.end(JSON.stringify({ ...configuration(), [name]: undefined }));
      troubleAt = (each) => (each === PATHS[0] ? incomplete : undefined);
      await expect(signIn()).rejects.toBeInstanceOf(ProviderUnavailable);
      troubleAt = () => undefined;
      expect(await signIn()).toMatchObject({ role: 'admin' });
    },
  );
});
