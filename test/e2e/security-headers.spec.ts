import { beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

const COMMON = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('security headers', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-headers-1', {});
  });

  /** Reads the body, too: a connection with a part of a body that nobody reads stays open, and so does the process. */
  const get = async (path: string, sent: Record<string, string> = {}): Promise<{ headers: Headers; body: string }> => {
    const response = await fetch(`${service.url}${path}`, { headers: sent });
    return { headers: response.headers, body: await response.text() };
  };

  it.each([
    '/v1/rupa/me',
    '/v1/rupa/consents',
    '/v1/rupa/nowhere',
    '/admin/v1/partners',
    '/admin/v1/farmers/rp-headers-1',
    '/admin/v1/farmers/rp-headers-none',
    '/health',
    '/docs-json',
    '/docs/nowhere',
  ])('are set on the response of %s, which must not be cached', async (path) => {
    const { headers } = await get(path, { 'X-API-KEY': bank.key, Authorization: `Bearer ${service.adminToken}` });
    expect(Object.fromEntries(headers)).toMatchObject({ ...COMMON, 'cache-control': 'no-store', 'content-security-policy': NOTHING });
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it('are set on the response to malformed HTTP', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nbad header\r\n\r\n');
    const response = await text(socket);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    for (const [name, value] of Object.entries(COMMON)) expect(response.toLowerCase()).toContain(`${name}: ${value.toLowerCase()}\r\n`);
  });

  it.each(['/p/rp-headers-1', '/p/%zz'])('allow the page %s its own style and nothing else', async (path) => {
    const { headers } = await get(path);
    expect(Object.fromEntries(headers)).toMatchObject({
      ...COMMON,
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
  });

  it('allow the documentation page its own scripts only, and it has no inline scripts', async () => {
    const { headers, body: html } = await get('/docs');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(html.match(/<script(?![^>]*\bsrc=)/g)).toBeNull();
    expect(html).not.toMatch(/\son\w+=/);
    for (const [, source = ''] of html.matchAll(/<script[^>]*\bsrc="([^"]+)"/g))
      expect((await get(new URL(source, `${service.url}/docs`).pathname)).headers.get('content-type')).toMatch(/javascript/);
  });
});
