import { gzipSync } from 'node:zlib';

const HOST = 'Host: x\r\n';
const LOOKUP = 'POST /v1/rupa/lookup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const many = (count: number, line: (index: number) => string): string => Array.from({ length: count }, (_, index) => line(index)).join('');
const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
const raw = (...parts: readonly (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));

/** Each request with the statuses that its first response may have; a closed connection is always acceptable. */
export const httpAttacks: readonly (readonly [name: string, request: Buffer, statuses: readonly number[]])[] = [
  ['a header above the size limit', raw(`GET /health HTTP/1.1\r\n${HOST}X: ${'y'.repeat(100_000)}\r\n\r\n`), [431]],
  ['thousands of headers', raw(`GET /health HTTP/1.1\r\n${HOST}${many(10_000, (index) => `X-${index}: y\r\n`)}\r\n`), [431]],
  ['a path above the size limit', raw(`GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`), [400, 431]],
  [
    'both a length and chunks',
    raw(`${LOOKUP}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n${HOST}\r\n`),
    [400],
  ],
  ['two lengths', raw(`${LOOKUP}Content-Length: 4\r\nContent-Length: 40\r\n\r\n{}{}`), [400]],
  ['a length that is not a number', raw(`${LOOKUP}Content-Length: 0x10\r\n\r\n`), [400]],
  ['a negative length', raw(`${LOOKUP}Content-Length: -1\r\n\r\n`), [400]],
  ['an unknown transfer encoding', raw(`${LOOKUP}Transfer-Encoding: xchunked\r\n\r\n`), [400, 401, 501]],
  [
    'a chunked encoding named twice, once disguised',
    raw(`${LOOKUP}Transfer-Encoding: chunked\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n`),
    [400],
  ],
  ['a chunk with a false size', raw(`${LOOKUP}Transfer-Encoding: chunked\r\n\r\n2\r\n{"rupa_id":"a"}\r\n0\r\n\r\n`), [400, 401]],
  ['a chunk of an impossible size', raw(`${LOOKUP}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`), [400, 401]],
  ['an endless chunk extension', raw(`${LOOKUP}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(100_000)}`), [400, 401, 413, 431]],
  ['line feeds without carriage returns', raw('GET /health HTTP/1.1\nHost: x\n\n'), [400]],
  ['a header folded over lines', raw(`GET /health HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`), [200, 400]],
  ['a space before the colon', raw('GET /health HTTP/1.1\r\nHost : x\r\n\r\n'), [400]],
  ['NUL in a header', raw(`GET /health HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`), [400]],
  ['no Host header', raw('GET /health HTTP/1.1\r\n\r\n'), [400]],
  ['an unknown version', raw(`GET /health HTTP/9.9\r\n${HOST}\r\n`), [400]],
  ['HTTP/2 without negotiation', raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), [400]],
  ['HTTP/0.9', raw('GET /health\r\n\r\n'), [200, 400]],
  ['an unknown method', raw(`STEAL /health HTTP/1.1\r\n${HOST}\r\n`), [400]],
  ['TRACE', raw(`TRACE /health HTTP/1.1\r\n${HOST}\r\n`), [400, 405]],
  ['CONNECT', raw(`CONNECT internal:22 HTTP/1.1\r\n${HOST}\r\n`), [400, 404]],
  ['an upgrade to a web socket', raw(`GET /health HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`), [200, 400]],
  ['an absolute target', raw(`GET http://169.254.169.254/latest HTTP/1.1\r\n${HOST}\r\n`), [400, 404]],
  ['an asterisk for a target', raw(`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`), [400, 404]],
  ['a path traversal', raw(`GET /../../../../etc/passwd HTTP/1.1\r\n${HOST}\r\n`), [400, 404]],
  ['an encoded path traversal', raw(`GET /docs/..%2f..%2f..%2fpackage.json HTTP/1.1\r\n${HOST}\r\n`), [400, 403, 404]],
  ['a slash inside an id', raw(`GET /p/rp-1%2f..%2f..%2fhealth HTTP/1.1\r\n${HOST}\r\n`), [400, 404, 422]],
  ['NUL in a path', raw(`GET /p/rp%00 HTTP/1.1\r\n${HOST}\r\n`), [400, 404, 422]],
  ['overlong UTF-8 in a path', raw(`GET /p/%c0%af%c0%80 HTTP/1.1\r\n${HOST}\r\n`), [400, 404]],
  ['a surrogate in a path', raw(`GET /p/%ed%a0%80 HTTP/1.1\r\n${HOST}\r\n`), [400, 404]],
  ['non-ASCII bytes in a path', raw('GET /p/', Buffer.from([0xff, 0xfe]), ` HTTP/1.1\r\n${HOST}\r\n`), [400, 404, 422]],
  ['a fragment in a target', raw(`GET /health#x HTTP/1.1\r\n${HOST}\r\n`), [200, 400, 404]],
  ['an unknown expectation', raw(`${LOOKUP}Expect: the impossible\r\nContent-Length: 2\r\n\r\n{}`), [417, 401]],
  ['a body of 10 GiB', raw(`${LOOKUP}Content-Length: 10737418240\r\n\r\n${'x'.repeat(70_000)}`), [401, 413]],
  ['a compressed body', raw(`${LOOKUP}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`, bomb), [400, 401, 413, 415]],
  ['a body with GET', raw(`GET /health HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`), [200, 400, 415]],
];
