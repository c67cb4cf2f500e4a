import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { type Document, operationsOf, type Part, type Response } from '../documentation/openapi/parts.js';
import { requestIdOf } from '../http/observe-requests.js';
import { previewDocument } from './preview-document.js';

interface Found {
  readonly at: string;
  readonly part: Part;
}

const NO_SCHEMAS = new Set(['example', 'examples', 'default', 'enum', 'mapping']);
const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

let document: Document;
let parts: readonly Found[];
beforeAll(async () => {
  document = await previewDocument('http://127.0.0.1:3000');
  parts = partsOf(document);
});

/** Generators of clients need these rules (decisions, "Numbers, unions and names in OpenAPI"). */
describe('the OpenAPI document for generators of clients', () => {
  it('has 64 bits for every integer', () => {
    const integers = parts.filter(({ part }) => typesOf(part).includes('integer'));
    expect(integers.length).toBeGreaterThan(150);
    expect(places(integers.filter(({ part }) => part.format !== 'int64'))).toStrictEqual([]);
  });

  it('has booleans without const and enum', () => {
    const booleans = parts.filter(({ part }) => typesOf(part).includes('boolean'));
    expect(booleans.length).toBeGreaterThan(50);
    expect(places(booleans.filter(({ part }) => 'const' in part || 'enum' in part))).toStrictEqual([]);
  });

  it('has no union, but a discriminator that leads each value to a component of its own, which extends the common one', () => {
    expect(places(parts.filter(({ part }) => 'anyOf' in part || (Array.isArray(part.oneOf) && !isNullable(part))))).toStrictEqual([]);
    const common = Object.entries(document.components.schemas).filter(([, schema]) => 'discriminator' in schema);
    expect(common.map(([name]) => name)).toStrictEqual(['Notification']);
    for (const [name, schema] of common) {
      const { discriminator, properties, required } = schema as {
        discriminator: { propertyName: string; mapping: Record<string, string> };
        properties: Record<string, { enum: readonly string[] }>;
        required: readonly string[];
      };
      const { propertyName, mapping } = discriminator;
      expect(required).toContain(propertyName);
      expect(Object.keys(mapping)).toStrictEqual(properties[propertyName]?.enum);
      // NSwag fails if two values lead to one component.
      expect(new Set(Object.values(mapping)).size).toBe(Object.keys(mapping).length);
      for (const $ref of Object.values(mapping))
        expect(document.components.schemas[nameOf($ref)]).toMatchObject({ allOf: [{ $ref: `#/components/schemas/${name}` }, {}] });
    }
  });

  it('has a named component or null wherever an object may be null', () => {
    const objects = parts.filter(({ part }) => typesOf(part).includes('object') && typesOf(part).includes('null'));
    expect(places(objects)).toStrictEqual([]);
    const nullable = parts.filter(({ part }) => Array.isArray(part.oneOf));
    expect(nullable.length).toBeGreaterThan(10);
    expect(places(nullable.filter(({ part }) => !isNullable(part)))).toStrictEqual([]);
    expect(places(parts.filter(({ part }) => 'nullable' in part))).toStrictEqual([]);
  });

  it('names the envelope of every success and of every error', () => {
    const responses = [
      ...operationsOf(document.paths).flatMap(({ path, operation }) =>
        Object.entries(operation.responses).map(([status, response]) => ({ at: `${path} ${status}`, response })),
      ),
      ...(Object.entries(document.components.responses) as [string, Response][]).map(([at, response]) => ({ at, response })),
    ].filter(({ response }) => response.content?.['application/json']);
    expect(responses.length).toBeGreaterThan(100);
    const names = responses.map(({ at, response }) => ({ at, name: nameOf(String(response.content?.['application/json']?.schema?.$ref)) }));
    expect(names.filter(({ name }) => !(name in document.components.schemas))).toStrictEqual([]);
    const envelopes = names.filter(({ at }) => !at.startsWith('/.well-known')).map(({ name }) => name);
    expect(envelopes.filter((name) => !name.endsWith('Envelope'))).toStrictEqual([]);
  });

  it('has only named objects in requests, responses and lists', () => {
    const inline = parts.filter(({ at, part }) => typesOf(part).includes('object') && /\/(?:schema|items|anyOf\/\d+|oneOf\/\d+)$/.test(at));
    expect(places(inline)).toStrictEqual([]);
  });

  it('lists the codes of every error, and the RateLimit headers of those that partners get after they are counted', () => {
    for (const [name, response] of Object.entries(document.components.responses) as [string, Response][]) {
      const schema = document.components.schemas[nameOf(String(response.content?.['application/json']?.schema?.$ref))];
      const { code } = (schema as { properties: { code: { enum: readonly string[] } } }).properties;
      expect([name, code.enum.length]).not.toStrictEqual([name, 0]);
    }
    const headersOf = (name: string): string[] => Object.keys(document.components.responses[name]?.headers as object);
    for (const name of ['TooManyRequests', 'KeyedValidationError', 'FarmerNotFound', 'PaymentRequired', 'LookupForbidden', 'NotJson'])
      expect([name, headersOf(name)]).toStrictEqual([name, expect.arrayContaining(RATE_LIMIT_HEADERS)]);
    for (const name of ['Unauthorized', 'Forbidden', 'AdminForbidden', 'ProjectionNotFound'])
      expect([name, headersOf(name).filter((header) => header.startsWith('RateLimit'))]).toStrictEqual([name, []]);
  });

  it('has no tag that both calls and notifications have', () => {
    const tagsOf = (paths: Document['paths']): Set<string> => new Set(operationsOf(paths).flatMap(({ operation }) => operation.tags ?? []));
    const [calls, notifications] = [tagsOf(document.paths), tagsOf(document.webhooks ?? {})];
    expect(notifications.size).toBeGreaterThan(0);
    expect([...notifications].filter((tag) => calls.has(tag))).toStrictEqual([]);
    expect([...calls, ...notifications].sort()).toStrictEqual(document.tags.map(({ name }) => name).sort());
  });

  it('closes every object of a request body but free-form ones, and none of a response', () => {
    const bodies = operationsOf(document.paths).flatMap(({ operation }) => Object.values(operation.requestBody?.content ?? {}));
    expect(bodies.length).toBeGreaterThan(20);
    const sent = bodies.flatMap((media) => reachable(media.schema));
    const open = sent.filter(({ part }) => part.type === 'object' && part.additionalProperties !== false);
    expect([...new Set(places(open))]).toStrictEqual(['JsonObject']);
    const responses = operationsOf(document.paths).flatMap(({ operation }) => reachable(operation.responses));
    const closed = responses.filter(({ part }) => part.additionalProperties === false);
    expect(places(closed)).toStrictEqual([]);
  });

  it('has defaults that their schemas accept', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const defaults = parts.filter(({ part }) => 'default' in part && 'type' in part);
    expect(defaults.length).toBeGreaterThan(20);
    expect(places(defaults.filter(({ part }) => !ajv.validate(part, part.default)))).toStrictEqual([]);
  });

  it('has patterns that generators of other languages read: no named group, no look-behind', () => {
    const patterns = parts.filter(({ part }) => typeof part.pattern === 'string');
    expect(patterns.length).toBeGreaterThan(30);
    expect(places(patterns.filter(({ part }) => /\(\?<|\\p\{/.test(String(part.pattern))))).toStrictEqual([]);
  });

  it('takes any text as X-Request-Id, which the service replaces if it is no UUID', () => {
    expect(document.components.parameters.RequestId?.schema).toStrictEqual({ type: 'string' });
  });

  it('describes the X-Request-Id of a response, which repeats exactly the ids of callers that have this form', () => {
    const { pattern } = (document.components.headers['X-Request-Id'] as { schema: { pattern: string } }).schema;
    const ids = fc.uuid().chain((id) => fc.constantFrom(id, id.replaceAll('-', ''), id.toUpperCase(), `${id} `, `{${id}}`, id.slice(1)));
    fc.assert(
      fc.property(fc.oneof(ids, fc.string()), (sent) => {
        const id = requestIdOf({ headers: { 'x-request-id': sent } });
        expect([id, new RegExp(pattern).test(id), id === sent]).toStrictEqual([id, true, new RegExp(pattern).test(sent)]);
      }),
    );
  });
});

function typesOf(part: Part): readonly unknown[] {
  return typeof part.type === 'object' && !Array.isArray(part.type) ? [] : [part.type].flat();
}

function isNullable({ oneOf }: Part): boolean {
  const [component, nothing, ...others] = oneOf as readonly Part[];
  return typeof component?.$ref === 'string' && nothing?.type === 'null' && others.length === 0;
}

function nameOf(reference: string): string {
  return reference.replace('#/components/schemas/', '');
}

function places(found: readonly Found[]): string[] {
  return found.map(({ at }) => at);
}

/** Returns every object of the document that is no example. */
function partsOf(part: unknown, at = '#'): readonly Found[] {
  if (typeof part !== 'object' || part === null) return [];
  const below = Object.entries(part).flatMap(([key, value]: [string, unknown]) =>
    NO_SCHEMAS.has(key) ? [] : partsOf(value, `${at}/${key}`),
  );
  return Array.isArray(part) ? below : [{ at, part: part as Part }, ...below];
}

/** Returns the parts of a part and of the components that it refers to. */
function reachable(part: unknown, at = '', seen = new Set<string>()): readonly Found[] {
  return partsOf(part, at).flatMap((found) => {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(String(found.part.$ref)) ?? [];
    if (kind === '' || seen.has(name)) return [found];
    seen.add(name);
    return [found, ...reachable(document.components[kind as 'schemas'][name], name, seen)];
  });
}
