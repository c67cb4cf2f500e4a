import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer as createSecureServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Egress } from '../../src/contexts/webhooks/egress/post.js';
import { HOOK_CERTIFICATE } from '../support/hook-certificate.js';
import { failure, failureOf, Hooks, LONG_MS, SHORT_MS } from '../support/hooks.js';

/** An address that counts as public and is not allocated. */
const PUBLIC = '2fff:ffff::1';

let hooks: Hooks;

beforeEach(() => {
  hooks = new Hooks();
});

afterEach(async () => {
  await hooks.close();
});

describe('a private network', () => {
  const PUBLIC_ONLY = { allowPrivateNetworks: false, allowAnyPort: true } as const;
  let requests: number;
  let port: number;

  beforeEach(async () => {
    requests = 0;
    port = await hooks.serve((_, response) => {
      requests += 1;
      response.end();
    });
  });

  it.each([
    [['127.0.0.1']],
    [['::ffff:127.0.0.1']],
    [['169.254.169.254']],
    [['fd00::1']],
    [['fe80::1%1']],
    [['127.1']],
    [['x']],
    [[PUBLIC, '127.0.0.1']],
    [['127.0.0.1', PUBLIC]],
  ])('is not reachable by a name with the addresses %j', async (addresses) => {
    hooks.names.set('hooks.example.com', addresses);
    expect(await failureOf(hooks.post(port, PUBLIC_ONLY))).toStrictEqual(failure('address_refused'));
    expect(requests).toBe(0);
    expect(hooks.sockets.size).toBe(0);
  });

  it('is not reachable by a name that pointed elsewhere when it was last resolved', async () => {
    hooks.names.set('hooks.example.com', [PUBLIC]);
    const first = await failureOf(hooks.post(port, { ...PUBLIC_ONLY, timeoutMs: SHORT_MS }));
    expect(['connect', 'timeout']).toContain(first.code);
    // Each connection resolves the name once, so no second result can come between the check and its use.
    expect(hooks.resolvedNames).toHaveLength(1);
    hooks.names.set('hooks.example.com', ['127.0.0.1']);
    expect(await failureOf(hooks.post(port, PUBLIC_ONLY))).toStrictEqual(failure('address_refused'));
    expect(hooks.resolvedNames).toHaveLength(2);
    expect(requests).toBe(0);
  });

  it('is not reachable over a connection that another post was allowed to open', async () => {
    expect(await hooks.post(port)).toMatchObject({ status: 200 });
    expect(await failureOf(hooks.post(port, PUBLIC_ONLY))).toStrictEqual(failure('address_refused'));
    expect(requests).toBe(1);
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', '0'])(
    'is not reachable at %s',
    async (host) => {
      expect(await failureOf(hooks.post(port, { ...PUBLIC_ONLY, url: `http://${host}:${port}/` }))).toStrictEqual(
        failure('address_refused'),
      );
      expect(hooks.resolvedNames).toStrictEqual([]);
      expect(requests).toBe(0);
    },
  );

  it('is not reachable through a redirect', async () => {
    const redirecting = await hooks.serve((_, response) => response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end());
    expect(await hooks.post(redirecting)).toMatchObject({ status: 307 });
    expect(requests).toBe(0);
  });

  it('is reachable where the settings allow it', async () => {
    expect(await hooks.post(port, { url: `http://127.0.0.1:${port}/` })).toMatchObject({ status: 200 });
  });

  it('is reachable through the system’s resolver only where the settings allow it', async () => {
    const system = new Egress();
    const request = { url: `http://localhost:${port}/`, headers: {}, body: '', timeoutMs: LONG_MS, httpsOnly: false, allowAnyPort: true };
    expect(await system.post({ ...request, allowPrivateNetworks: true })).toMatchObject({ status: 200 });
    expect(await failureOf(system.post({ ...request, allowPrivateNetworks: false }))).toStrictEqual(failure('address_refused'));
    await system.close();
  });
});

describe('over TLS,', () => {
  const authorities = getCACertificates('default');
  let secure: number;

  beforeAll(() => {
    setDefaultCACertificates([...authorities, HOOK_CERTIFICATE.cert]);
  });

  afterAll(() => {
    setDefaultCACertificates(authorities);
  });

  beforeEach(async () => {
    secure = await hooks.listen(createSecureServer(HOOK_CERTIFICATE, (_, response) => response.end()));
  });

  it('a response is received', async () => {
    expect(await hooks.post(0, { url: `https://hooks.example.com:${secure}/`, httpsOnly: true })).toMatchObject({ status: 200 });
  });

  it.each(['https://other.example.com', 'https://127.0.0.1'])('a certificate for another host than %s is refused', async (origin) => {
    hooks.names.set('other.example.com', ['127.0.0.1']);
    expect(await failureOf(hooks.post(0, { url: `${origin}:${secure}/` }))).toStrictEqual(failure('tls'));
  });

  it('an untrusted certificate is refused', async () => {
    setDefaultCACertificates(authorities);
    expect(await failureOf(hooks.post(0, { url: `https://hooks.example.com:${secure}/` }))).toStrictEqual(failure('tls'));
  });

  it('a receiver without TLS is refused', async () => {
    const port = await hooks.serveText('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await failureOf(hooks.post(0, { url: `https://hooks.example.com:${port}/` }))).toStrictEqual(failure('tls'));
  });
});
