import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import fastify, { type FastifyInstance } from 'fastify';
import { connect } from 'node:net';
import { type AddressInfo } from 'node:net';
import { text as textOfStream } from 'node:stream/consumers';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { ApiError } from '../errors/api-error.js';
import { ERRORS } from '../errors/error-codes.js';
import { acceptForms, acceptOnlyJson, decodablePath } from './request-body.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes of a JSON string's content that need no escape: most are not UTF-8. */
const contents = fc
  .oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    fc.constantFrom([0xe9], [0xc3, 0xa9], [0xef, 0xbf, 0xbd], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf]),
  )
  .map((bytes) => Buffer.from(bytes).filter((byte) => byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH))
  .map((bytes) => Buffer.from(bytes));

describe('a request', () => {
  let app: FastifyInstance;

  beforeAll(async () => {
    app = fastify({ rewriteUrl: decodablePath });
    acceptOnlyJson(app);
    acceptForms(app);
    app.setErrorHandler((error, _request, reply) => {
      if (error instanceof ValidationFailed) void reply.status(422).send(error.errors);
      else if (error instanceof ApiError)
        void reply.status(ERRORS[error.code].status).headers(error.headers).send({ message: error.message });
      else void reply.status((error as { statusCode?: number }).statusCode ?? 500).send({});
    });
    app.patch('/', { config: { takesMergePatch: true } }, (request) => ({ body: request.body ?? null }));
    app.post('/', (request) => ({ body: request.body ?? null }));
    app.get('/', (request) => request.query);
    app.get('/of/:id', (request) => request.params);
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app.close());

  const post = (payload: Buffer | string, headers: Record<string, string> = JSON_TYPE) =>
    app.inject({ method: 'POST', url: '/', payload, headers });

  /** Sends a request line that no HTTP client would send. Returns the status. */
  async function raw(line: Buffer): Promise<number> {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(Buffer.concat([Buffer.from('GET '), line, Buffer.from(' HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')]));
    return Number((await textOfStream(socket)).split(' ')[1]);
  }

  it('has exactly the text that its bytes are in UTF-8, or is refused with 422', async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (content) => {
        const response = await post(Buffer.concat([Buffer.from('{"reference":"'), content, Buffer.from('"}')]));
        if (response.statusCode === 200) {
          expect(Buffer.from(response.json<{ body: { reference: string } }>().body.reference)).toEqual(content);
          return;
        }
        expect(response.statusCode).toBe(422);
        expect(Buffer.from(content.toString())).not.toEqual(content);
        expect(Object.keys(response.json<object>())).toEqual(['reference', 'body']);
      }),
    );
  });

  it('is told which byte is wrong', async () => {
    expect((await post(Buffer.from('{"a":{"b":["caf\xe9"]}}', 'latin1'))).json()).toEqual({
      'a.b.0': ['The a.b.0 field must be well-formed text without NUL.'],
      body: ['The body is wrong: it is not UTF-8: byte 16 is 0xe9, which cannot stand there.'],
    });
    expect((await post(Buffer.from('{"a":1}\xff', 'latin1'))).json()).toEqual({
      body: ['The body is wrong: it is not UTF-8: byte 8 is 0xff, which cannot stand there.'],
    });
  });

  it('may begin with a byte order mark and may have no body', async () => {
    expect((await post('\ufeff{"a":1}')).json()).toEqual({ body: { a: 1 } });
    expect((await post('')).json()).toEqual({ body: null });
  });

  it('counts as one without a body if its body is empty, whatever its Content-Type says', async () => {
    const type = fc.oneof(
      fc.constantFrom(
        'application/x-www-form-urlencoded',
        'application/json; charset=latin1',
        'application/merge-patch+json',
        'text/xml',
        '*',
      ),
      fc.string({ minLength: 1 }).filter((text) => text.trim() !== '' && /^[ -~]+$/.test(text)),
    );
    await fc.assert(
      fc.asyncProperty(type, fc.constantFrom({}, { 'content-length': '0' }), async (sent, length) => {
        const response = await app.inject({ method: 'POST', url: '/', headers: { 'content-type': sent, ...length } });
        expect([response.statusCode, response.json()]).toEqual([200, { body: null }]);
      }),
    );
    expect((await post('<a/>', { 'content-type': 'text/xml' })).statusCode).toBe(415);
  });

  it.each(['iso-8859-1', 'ISO-8859-1', '"windows-1252"', 'utf-16', 'utf-16le', 'utf-7', 'us', ''])(
    'with the charset %s gets 415, whatever its body is',
    async (charset) => {
      for (const type of [
        `application/json; charset=${charset}`,
        `application/json;a=b;Charset=${charset}`,
        `application/json; charset=utf-8; charset=${charset}`,
      ])
        expect((await post('{"a":1}', { 'content-type': type })).statusCode).toBe(415);
    },
  );

  it.each(['utf-8', 'UTF-8', 'utf8', '"utf-8"'])('may name the charset %s', async (charset) => {
    expect((await post('{"a":"é"}', { 'content-type': `application/json; charset=${charset}` })).json()).toEqual({ body: { a: 'é' } });
  });

  it('may be a JSON merge patch if its route takes one, by the same rules, and gets 415 from other routes', async () => {
    const send = async (method: 'PATCH' | 'POST', body: string, type = 'application/merge-patch+json') =>
      await app.inject({ method, url: '/', headers: { 'content-type': type }, body });
    expect((await send('PATCH', '{"a":null}')).json()).toEqual({ body: { a: null } });
    expect((await send('PATCH', '{"a":null}', 'application/json')).json()).toEqual({ body: { a: null } });
    expect((await send('PATCH', '{"a":')).statusCode).toBe(400);
    expect((await send('PATCH', '{}', 'application/merge-patch+json; charset=latin1')).statusCode).toBe(415);
    expect((await send('POST', '{"a":null}')).statusCode).toBe(415);
  });

  it.each(['gzip', 'br', 'identity, gzip', 'x'])('with the Content-Encoding %s gets 415', async (coding) => {
    const { statusCode, headers } = await post('{"a":1}', { ...JSON_TYPE, 'content-encoding': coding });
    expect({ statusCode, accepts: headers['accept-encoding'] }).toEqual({ statusCode: 415, accepts: 'identity' });
  });

  it('has exactly the parameters that its query encodes, or is refused with 422', async () => {
    const byte = fc.nat(255).map((value) => `%${value.toString(16).padStart(2, '0')}`);
    const query = fc.array(fc.oneof(byte, fc.constantFrom('a', '%', '%e', '%zz', '%c3%a9', '+'))).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(query, async (value) => {
        const response = await app.inject(`/?reference=${value}`);
        let expected: string | undefined;
        try {
          expected = decodeURIComponent(value.replaceAll('+', ' '));
        } catch {
          expect(response.json()).toEqual({ reference: ['The reference field must be percent-encoded UTF-8.'] });
        }
        expect(response.statusCode).toBe(expected === undefined ? 422 : 200);
        if (expected !== undefined) expect(response.json()).toEqual({ reference: expected });
      }),
    );
  });

  it('is refused with 422 for a parameter whose name is wrong', async () => {
    expect((await app.inject('/?a=1&%e9=2')).json()).toEqual({ query: [expect.stringContaining('name is not percent-encoded UTF-8')] });
  });

  it('is refused with 400 for bytes in its query that are not encoded, in Latin-1 and in UTF-8', async () => {
    expect(await raw(Buffer.from('/?a=\xe9', 'latin1'))).toBe(400);
    expect(await raw(Buffer.from('/?a=é'))).toBe(400);
    expect(await raw(Buffer.from('/?a=%c3%a9'))).toBe(200);
  });

  it('has a path parameter as it is written if it is not percent-encoded UTF-8', async () => {
    expect((await app.inject('/of/%e9?a=1')).json()).toEqual({ id: '%e9' });
    expect((await app.inject('/of/%c3%a9%20')).json()).toEqual({ id: 'é ' });
    expect((await app.inject('/of/100%')).json()).toEqual({ id: '100%' });
    expect((await app.inject('/%e9')).statusCode).toBe(404);
  });

  it.each([
    ['text=caf%e9', 422],
    ['text=100%', 422],
    ['text=caf%c3%a9', 200],
    ['text=café', 200],
  ])('with the form %s gets %i', async (form, status) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post(form, type)).statusCode).toBe(status);
    expect((await post(form, { 'content-type': `${type['content-type']}; charset=latin1` })).statusCode).toBe(415);
    expect((await post(Buffer.from('text=caf\xe9', 'latin1'), type)).statusCode).toBe(422);
  });
});
