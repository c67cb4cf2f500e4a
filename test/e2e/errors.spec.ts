import { beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { once } from 'node:events';
import { sharedApplication } from '../support/application.js';
import { call, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

describe('the error envelope', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
  });

  const envelope = (message: unknown) => ({ success: false, message });

  it('is sent with 404 for an unknown path', async () => {
    for (const path of ['/nope', '/v1/rupa/nope', '/admin/v1/nope', '/v1/rupa/lookup/%zz']) {
      const { status, body } = await call(service, 'GET', path);
      expect([400, 404]).toContain(status);
      expect(body).toStrictEqual(envelope(expect.any(String)));
    }
    expect((await call(service, 'GET', '/nope')).status).toBe(404);
  });

  it('is sent with 404 for a method that the path does not support', async () => {
    expect(await call(service, 'PUT', '/v1/rupa/lookup', { body: {} })).toMatchObject({ status: 404, body: envelope(expect.any(String)) });
  });

  it('is sent with 400 for malformed JSON', async () => {
    expect(await bank.call('POST', '/lookup', '{"rupa_id":')).toMatchObject({
      status: 400,
      body: envelope('The request body is not valid JSON.'),
    });
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'is not sent for an unknown field named %s, at any depth',
    async (name) => {
      const unknown = `"${name}":{"a":1,"prototype":{"b":2}}`;
      const bodies = [`{${unknown},"rupa_id":"rp-nobody"}`, `{"rupa_id":"rp-nobody","extra":[{${unknown}}]}`];
      for (const body of bodies) expect(await bank.call('POST', '/lookup', body)).toMatchObject({ status: 404 });
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
    for (const body of ['[]', '"text"', '7']) {
      expect(await bank.call('POST', '/lookup', body)).toMatchObject({
        status: 422,
        body: { message: 'Validation Error', data: { errors: { body: ['The body must be a JSON object.'] } } },
      });
    }
  });

  it('is sent with 413 for a body over 64 KiB', async () => {
    expect(await bank.call('POST', '/lookup', { rupa_id: 'a'.repeat(70_000) })).toMatchObject({
      status: 413,
      body: envelope('The request body is larger than 64 KiB.'),
    });
  });

  it('is sent with 415 for another content type', async () => {
    expect(await bank.call('POST', '/lookup', 'rupa_id=1', { 'Content-Type': 'application/x-www-form-urlencoded' })).toMatchObject({
      status: 415,
      body: envelope(expect.any(String)),
    });
  });

  it('is sent with 422 for excessive nesting', async () => {
    const body = `{"rupa_id":"rp-1","extra":${'['.repeat(100)}${']'.repeat(100)}}`;
    expect((await bank.call('POST', '/lookup', body)).status).toBe(422);
  });

  it('is sent with 400 for malformed HTTP', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end('NONSENSE\r\n\r\n');
    let response = '';
    socket.on('data', (chunk: Buffer) => (response += chunk.toString()));
    await once(socket, 'close');
    expect(response).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toStrictEqual(envelope('The request cannot be understood.'));
  });
});
