import { beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { once } from 'node:events';
import { sharedApplication } from '../support/application.js';
import { admin, call, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { type ErrorCode, ERRORS } from '../../src/http/errors/error-codes.js';

describe('the error envelope', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
  });

  const envelope = (code: ErrorCode) => ({
    success: false,
    message: ERRORS[code].message,
    code,
    doc_url: expect.stringMatching(new RegExp(`/docs/guides/errors#${code}$`)),
  });

  it('is sent with 404 for an unknown path', async () => {
    for (const path of ['/nope', '/v1/rupa/nope', '/admin/v1/nope', '/v1/rupa/consents/a/b']) {
      expect(await call(service, 'GET', path)).toMatchObject({ status: 404, body: envelope('route_not_found') });
    }
  });

  it('is sent with 404 for a path that cannot be decoded', async () => {
    expect(await call(service, 'GET', '/v1/rupa/lookup/%zz')).toMatchObject({ status: 404, body: envelope('route_not_found') });
  });

  it.each([
    ['PUT', '/v1/rupa/lookup', 'POST'],
    ['GET', '/v1/rupa/lookup?a=b', 'POST'],
    ['OPTIONS', '/v1/rupa/me', 'GET, HEAD'],
    ['POST', '/v1/rupa/consents/rp-1', 'DELETE'],
    ['PATCH', '/admin/v1/partners', 'GET, HEAD, POST'],
    ['PROPFIND', '/health', 'GET, HEAD'],
  ])('is sent with 405 and the allowed methods for %s %s', async (method, path, allowed) => {
    const { status, headers, body } = await call(service, method, path);
    expect({ status, body }).toMatchObject({ status: 405, body: envelope('method_not_allowed') });
    expect(headers.get('Allow')).toBe(allowed);
  });

  it('is sent with 400 for malformed JSON', async () => {
    expect(await bank.call('POST', '/lookup', '{"rupa_id":')).toMatchObject({
      status: 400,
      body: envelope('malformed_json'),
    });
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'names an unknown field %s, and one that has it at any depth, and reads neither',
    async (name) => {
      const unknown = `"${name}":{"a":1,"prototype":{"b":2}}`;
      const errorsOf = async (body: string): Promise<object> => (await bank.call('POST', '/lookup', body)).body.data.errors as object;
      const message = `The ${name.replaceAll('_', ' ')} field is not known.`;
      expect(Object.entries(await errorsOf(`{${unknown},"rupa_id":"rp-nobody"}`))).toStrictEqual([[name, [message]]]);
      expect(await errorsOf(`{"rupa_id":"rp-nobody","extra":[{${unknown}}]}`)).toStrictEqual({ extra: ['The extra field is not known.'] });
      expect(({} as { a?: unknown }).a).toBeUndefined();
    },
  );

  it('names a field whose name JavaScript relies on if its value cannot be stored', async () => {
    for (const name of ['__proto__', 'constructor']) {
      expect((await bank.call('POST', '/lookup', `{"rupa_id":"rp-nobody","${name}":{"a_b":"\\u0000"}}`)).body.data.errors).toStrictEqual({
        [`${name}.a_b`]: [`The ${name.replaceAll('_', ' ')}.a b field must be well-formed text without NUL.`],
      });
    }
  });

  it('is sent with 422 for a body that is not an object', async () => {
    for (const body of ['[]', '"text"', '7', 'null']) {
      expect(await bank.call('POST', '/lookup', body)).toMatchObject({
        status: 422,
        body: { message: 'Validation Error', data: { errors: { body: ['The body must be a JSON object.'] } } },
      });
    }
  });

  it('is sent with 413 for a body over 64 KiB', async () => {
    expect(await bank.call('POST', '/lookup', { rupa_id: 'a'.repeat(70_000) })).toMatchObject({
      status: 413,
      body: envelope('body_too_large'),
    });
  });

  it('is sent with 415 for another content type', async () => {
    expect(await bank.call('POST', '/lookup', 'rupa_id=1', { 'Content-Type': 'application/x-www-form-urlencoded' })).toMatchObject({
      status: 415,
      body: envelope('unsupported_media_type'),
    });
  });

  it('is sent with 422 for bodies that are not UTF-8, so that no text becomes equal to another', async () => {
    await admin(service, 'PUT', '/farmers/rp-latin', {});
    const report = (letter: string) =>
      Buffer.from(`{"rupa_id":"rp-latin","event":"loan_repayment","amount":5,"partner_reference":"caf${letter}"}`, 'latin1');
    const headers = { 'X-API-KEY': bank.key, 'Content-Type': 'application/json' };
    for (const letter of ['\xe9', '\xe8', '\xff']) {
      const response = await fetch(`${service.url}/v1/rupa/report`, { method: 'POST', headers, body: report(letter) });
      expect({ status: response.status, body: (await response.json()) as unknown }).toMatchObject({
        status: 422,
        body: {
          code: 'validation_failed',
          data: { errors: { partner_reference: [expect.any(String)], body: [expect.stringContaining('is 0x')] } },
        },
      });
    }
    expect((await bank.call('GET', '/contributions')).body.data).toMatchObject({ contributions: [] });
    const money = `/admin/v1/partners/${bank.partner_id}/wallet/credits`;
    const credits = await Promise.all(
      ['\xe9', '\xe8'].map((letter) =>
        fetch(`${service.url}${money}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${service.adminToken}`, 'Content-Type': 'application/json' },
          body: Buffer.from(`{"amount":5,"reference":"caf${letter}"}`, 'latin1'),
        }),
      ),
    );
    expect(credits.map(({ status }) => status)).toEqual([422, 422]);
  });

  it('is sent with 422 for a query and a path parameter that are not UTF-8, after the key', async () => {
    expect(await bank.call('GET', '/contributions?partner_reference=caf%e9')).toMatchObject({
      status: 422,
      body: { data: { errors: { partner_reference: ['The partner reference field must be percent-encoded UTF-8.'] } } },
    });
    expect(await bank.call('DELETE', '/consents/rp-%e9')).toMatchObject({
      status: 422,
      body: { data: { errors: { rupa_id: [expect.any(String)] } } },
    });
    expect((await call(service, 'DELETE', '/v1/rupa/consents/rp-%e9')).status).toBe(401);
    expect((await call(service, 'GET', '/v1/rupa/contributions?partner_reference=caf%e9')).status).toBe(401);
  });

  it('is sent with 415 for a charset that is not UTF-8', async () => {
    const { status, body } = await bank.call('POST', '/lookup', '{"rupa_id":"rp-1"}', {
      'Content-Type': 'application/json; charset=iso-8859-1',
    });
    expect({ status, body }).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', message: expect.stringContaining('UTF-8') },
    });
  });

  it('is sent with 422 for excessive nesting', async () => {
    const body = `{"rupa_id":"rp-1","extra":${'['.repeat(100)}${']'.repeat(100)}}`;
    expect((await bank.call('POST', '/lookup', body)).status).toBe(422);
  });

  it.each([
    ['400 for malformed HTTP', 'NONSENSE\r\n\r\n', 'malformed_request'],
    ['400 for a request without Host header', 'GET /health HTTP/1.1\r\n\r\n', 'malformed_request'],
    ['417 for an unknown expectation', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n', 'expectation_failed'],
    ['431 for headers above 16 KiB', `GET /health HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(16 * 1024)}\r\n\r\n`, 'headers_too_large'],
  ] as const)('is sent with %s', async (_what, request, code) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end(request);
    let response = '';
    socket.on('data', (chunk: Buffer) => (response += chunk.toString()));
    await once(socket, 'close');
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${ERRORS[code].status} `));
    const [, body = ''] = /(\{.*\})/.exec(response) ?? [];
    expect(JSON.parse(body)).toStrictEqual(envelope(code));
  });
});
