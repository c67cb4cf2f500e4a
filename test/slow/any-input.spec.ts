import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { documentedPath, expectDocumented } from '../support/contract.js';
import { readDocument } from '../support/document.js';
import { type TestService } from '../support/service.js';

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json'?: { readonly example: Record<string, unknown> };
      readonly 'text/csv'?: { readonly example: string };
    };
  };
}

interface Sent {
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const RUNS = Number(process.env.FUZZ_RUNS ?? 80);
/** A name of a class, such as PriceBookDto. */
const CLASS_NAME = /[A-Z][a-z]+Dto\b/g;
const INTERNAL =
  /postgres|\bselect\b|\binsert\b|esdb|grpc|node_modules|\.[jt]s:\d|\w+Error\b|ECONN|stack|\bundefined\b|\[object|fastify|nest\b|relation|constraint|class-validator/gi;

const operations = Object.entries(readDocument().paths as unknown as Record<string, Record<string, Operation>>)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })))
  // Deactivating a key or a partner would break the runs that follow.
  .filter(({ path, method }) => !path.includes('deactivate') && method !== 'HEAD');

/** Generates any value that a field could hold, including values that often break services. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '💧',
    'a'.repeat(300),
    -1,
    0.001,
    1e308,
    Number.MAX_SAFE_INTEGER,
    '2026-02-30',
    '__proto__',
    'constructor',
    '2026-03-01',
    'rp-1',
    null,
    [],
    {},
    [null],
    true,
  ),
);

/** Texts of a path parameter as they are sent, percent-encoded or not. */
const PARTS = [
  ...[
    '%00',
    'a%00b',
    '%ff',
    '%c0%80',
    '%ed%a0%80',
    '%F0%9F%92%A7',
    '%2e%2e',
    '%2F',
    '%5C',
    '%0d%0aX-A:b',
    '%25',
    '%20',
    ' ',
    "'",
    '"',
    ';',
  ],
  ...['0', '-1', '1e300', '9223372036854775807', '99999999999999999999', '0x10', 'NaN', 'null', 'undefined', '__proto__', 'constructor'],
  ...['*', '$all', '%24all', '%24et-WalletCredited', 'a-b', '2026-13', '2026-00', '0000-01', '9999-12', 'a'.repeat(3_000)],
];

/** Calls that stream their response. */
const LARGE = /\/(evidence|export)$/;

/** Values of a query parameter, and ways to send it more than once or as an object. */
const QUERIES = [
  ...PARTS.map((part) => (name: string) => `${name}=${part.replaceAll(' ', '+')}`),
  (name: string) => name,
  (name: string) => `${name}=`,
  (name: string) => `${name}=1&${name}=2`,
  (name: string) => `${name}[]=1&${name}[__proto__]=2&${name}[a][b]=3`,
  (name: string) => `__proto__[${name}]=1&constructor=2&${name}=0001-01-01`,
  (name: string) => `${name}=2026-01-01T10:00:00`,
];

function filled(template: string, part: string): string {
  return template.replaceAll(/\{\w+\}/g, part);
}

/** Returns internal words of a response that the request does not have: a response repeats the names of unknown fields, which may be random. */
function internalsIn(text: string, sent: string): string[] {
  const words = [INTERNAL, CLASS_NAME].flatMap((internal) => [...text.matchAll(internal)].map(([word]) => word));
  return words.filter((word) => !sent.includes(word));
}

/** Expects that every message names its field with spaces for underscores. */
function expectWords(errors: Readonly<Record<string, readonly string[]>>): void {
  for (const [field, sentences] of Object.entries(errors))
    for (const sentence of sentences)
      if (/^The .* field /s.test(sentence)) expect(sentence.startsWith(`The ${field.replaceAll('_', ' ')} field `)).toBe(true);
}

/** Generates bodies: the documented example with fields changed, added or removed, or something unrelated. */
function bodies(example: Record<string, unknown>): fc.Arbitrary<string> {
  const fields = fc.constantFrom(...Object.keys(example), 'constructor', 'toString', 'extra');
  const changed = fc
    .array(fc.tuple(fields, anything), { minLength: 1, maxLength: 3 })
    .map((changes) => JSON.stringify({ ...example, ...Object.fromEntries(changes) }));
  const missing = fields.map((field) => JSON.stringify({ ...example, [field]: undefined }));
  const deep = fc.integer({ min: 1, max: 10_000 }).map((depth) => `{"payload":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`);
  return fc.oneof(
    changed,
    changed,
    missing,
    fc.constant(JSON.stringify(example)),
    anything.map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }),
    deep,
    fc.constant('{"__proto__":{"a":1}}'),
    fc.constant(`"${'x'.repeat(70_000)}"`),
  );
}

/** Generates files: the documented example with other columns or with anything below it, or something unrelated. */
function files(example: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constant(example),
    fc.string({ unit: 'binary' }).map((text) => example + text),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '',
      'PK\u0003\u0004',
      '%PDF-',
      `${example}${'"'.repeat(9)}`,
      example.replaceAll(',', ';'),
      `${example}${'a,'.repeat(70_000)}`,
    ),
  );
}

describe('any request', () => {
  let service: TestService;
  let partner: TestPartner;
  let keys: readonly string[];

  beforeAll(async () => {
    service = await startApplication();
    partner = await makePartner(service, { credit: 1_000_000 });
    keys = [partner.key, (await makePartner(service, { active: false, mode: 'sandbox', account_type: 'agtech' })).key];
    await admin(service, 'PUT', '/farmers/rp-1', {});
    await admin(service, 'PUT', '/farmers/rp-spvyqbds', {});
  });
  afterAll(() => service.stop());

  function requests({ parameters = [], requestBody }: Operation): fc.Arbitrary<Sent> {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        'rp-1',
        partner.partner_id,
        '%zz',
        '..',
        '0',
        '-1',
        '1e9',
        '2026-01-01',
        'a'.repeat(2_000),
        '%00',
        '\u0000',
        'a\u0000b',
        '9223372036854775807',
        '1e300',
        '-0',
        '0x10',
        ' ',
      ),
    );
    const authorization = fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .constantFrom(...keys)
          .map((key): Record<string, string> => ({ 'X-API-KEY': key, Authorization: `Bearer ${service.adminToken}` })),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Record<string, string>[]>(
          {},
          { 'X-API-KEY': '', Authorization: 'Bearer' },
          { 'X-API-KEY': 'x'.repeat(500), Authorization: 'Basic x' },
        ),
      },
    );
    const idempotency = fc.option(fc.constantFrom('k1', 'k2', 'x'.repeat(256)), { nil: undefined, freq: 3 });
    const type = fc.oneof(
      { weight: 9, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', 'nonsense') },
    );
    const example = requestBody?.content['application/json']?.example;
    const file = requestBody?.content['text/csv']?.example;
    const body = file === undefined ? (example ? bodies(example) : fc.constant(undefined)) : files(file);
    return fc.record({
      path: fc.array(text, { minLength: 2, maxLength: 2 }),
      query: fc.array(text, { minLength: parameters.length, maxLength: parameters.length }),
      headers: fc.tuple(authorization, idempotency, type).map(([auth, key, contentType]) => ({
        ...auth,
        ...(key ? { 'Idempotency-Key': key } : {}),
        ...(example ? { 'Content-Type': contentType } : {}),
        ...(file === undefined ? {} : { 'Content-Type': contentType === 'application/json' ? 'text/csv' : contentType }),
      })),
      body,
    });
  }

  /** Percent-encodes a value, except for the malformed encoding, which is sent unchanged. */
  const encode = (text: string): string => (text === '%zz' ? text : encodeURIComponent(text.isWellFormed() ? text : 'x'));

  it.each(operations.map(({ path, method, operation }) => [method, path, operation] as const))(
    'to %s %s gets a documented response without internal details',
    async (method, template, operation) => {
      await fc.assert(
        fc.asyncProperty(requests(operation), async ({ path, query, headers, body }) => {
          let next = 0;
          const filled = template.replaceAll(/\{\w+\}/g, () => encode(path[next++] ?? ''));
          const asked = (operation.parameters ?? [])
            .filter(({ in: where }) => where === 'query')
            .map(({ name }, index) => `${name}=${encode(query[index] ?? '')}`);
          const url = `${filled}${asked.length > 0 ? `?${asked.join('&')}` : ''}`;
          const response = await whenServed(() =>
            fetch(`${service.url}${url}`, { method, headers, ...(body === undefined ? {} : { body }) }),
          );
          const text = await response.text();
          expect(response.status).toBeLessThan(500);
          if (response.status >= 400) expect(internalsIn(text, `${url} ${body ?? ''}`)).toStrictEqual([]);
          if (/^(text\/|application\/x-ndjson)/.test(response.headers.get('content-type') ?? '')) return;
          const envelope = JSON.parse(text) as { success: boolean };
          expect(envelope.success).toBe(response.ok);
          if (response.status === 422) expectWords((envelope as unknown as { data: { errors: Record<string, string[]> } }).data.errors);
          const documented = documentedPath(method, new URL(response.url).pathname);
          if (documented !== undefined) expectDocumented(method, url, response.status, response.headers, envelope);
          // A path such as /partners/./optional-sections is that of another route, and a query that is not UTF-8 is 422 on any. The log may be
          // read 200 times a second, which a fast machine does here.
          else expect([400, 401, 404, 405, 413, 415, 422, 429]).toContain(response.status);
        }),
        { numRuns: RUNS },
      );
    },
  );

  it.each(operations.map(({ path, method, operation }) => [method, path, operation] as const))(
    'with any value in the path or the query of %s %s gets no 5xx response',
    async (method, template, { parameters = [] }) => {
      const names = parameters.filter(({ in: where }) => where === 'query').map(({ name }) => name);
      const known = filled(template, partner.partner_id);
      const queries = names.flatMap((name) => QUERIES.map((query) => `${known}?${query(name)}`));
      const hostile = new Set([...PARTS.map((part) => filled(template, part)), ...queries]);
      const headers = { 'X-API-KEY': partner.key, Authorization: `Bearer ${service.adminToken}` };
      const send = async (url: string): Promise<void> => {
        // An input that always gets a 503 ends this test by its time limit.
        const response = await whenServed(() => fetch(`${service.url}${url}`, { method, headers }));
        const text = await response.text();
        expect([url, response.status < 500]).toStrictEqual([url, true]);
        if (response.status >= 400) expect(text).not.toMatch(INTERNAL);
        if (response.status === 422) expectWords((JSON.parse(text) as { data: { errors: Record<string, string[]> } }).data.errors);
      };
      // A caller may ask for only a few large bodies at once.
      if (LARGE.test(template)) for (const url of hostile) await send(url);
      else await Promise.all([...hostile].map(send));
    },
  );

  it('leaves the service healthy', async () => {
    expect(await (await fetch(`${service.url}/health`)).json()).toMatchObject({ success: true });
    // No earlier request can have erased this farmer.
    await admin(service, 'PUT', '/farmers/rp-after', {});
    // An earlier request may have raised the price above the partner's balance.
    expect([200, 402]).toContain((await (await makePartner(service)).lookup('rp-after', { sections: ['identity'] })).status);
    expect(service.output()).not.toMatch(/a request failed/);
  });
});
