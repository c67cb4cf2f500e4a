import { beforeAll, describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Audience, documentFor } from '../../src/documentation/openapi/audiences.js';
import { postmanCollection } from '../../src/documentation/openapi/collection.js';
import { type Document, operationsOf } from '../../src/documentation/openapi/parts.js';
import { readDocument } from '../support/document.js';

const OPENAPI_3_1 = createRequire(import.meta.url)('@seriousme/openapi-schema-validator/schemas/v3.1/schema.json') as object;
const AUDIENCES: readonly Audience[] = ['partner', 'admin'];

let whole: Document;
let documents: Readonly<Record<Audience, Document>>;
beforeAll(() => {
  whole = readDocument();
  documents = { partner: documentFor('partner', whole), admin: documentFor('admin', whole) };
});

const operationIds = ({ paths }: Document): string[] => operationsOf(paths).map(({ operation }) => operation.operationId ?? '');
const componentsOf = ({ components }: Document): string[] =>
  Object.entries(components).flatMap(([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`));
const referencesOf = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(/"#\/components\/(\w+\/[^"]+)"/g)].map(([, name]) => name ?? '');

describe('the documents for partners and for administrators', () => {
  it('have every operation of the whole document once', () => {
    const [partner, admin] = [operationIds(documents.partner), operationIds(documents.admin)];
    expect(partner.length).toBeGreaterThan(20);
    expect(admin.length).toBeGreaterThan(20);
    expect([...partner, ...admin].sort()).toStrictEqual(operationIds(whole).sort());
  });

  it('show partners no call that needs an administrator’s token, and administrators none that needs a key', () => {
    expect(componentsOf(documents.partner)).not.toContain('securitySchemes/administrator');
    expect(JSON.stringify(documents.partner.paths)).not.toContain('"administrator"');
    expect(componentsOf(documents.admin)).not.toContain('securitySchemes/partner');
    expect(JSON.stringify(documents.admin.paths)).not.toContain('"partner":[]');
    expect([documents.partner.webhooks, documents.admin.webhooks]).toStrictEqual([whole.webhooks, undefined]);
  });

  it('are those of the calls that the balancer lets partners through to, and of the others', () => {
    const [, pattern = ''] = /acl for_partners path,url_dec -m reg (\S+)/.exec(readFileSync('ops/haproxy/haproxy.cfg', 'utf8')) ?? [];
    const isFree = (path: string): boolean => new RegExp(pattern).test(path.replaceAll(/\{\w+\}/g, 'x'));
    expect(Object.keys(documents.partner.paths).filter((path) => !isFree(path))).toStrictEqual([]);
    expect(Object.keys(documents.admin.paths).filter(isFree).sort()).toStrictEqual(['/health', '/health/live', '/health/ready']);
  });

  it.each(AUDIENCES)('have the components and tags that they use, and no others (%s)', (audience) => {
    const document = documents[audience];
    const schemes = Object.keys(document.components.securitySchemes).map((name) => `securitySchemes/${name}`);
    expect(componentsOf(document).sort()).toStrictEqual([...new Set([...referencesOf(document), ...schemes])].sort());
    for (const component of componentsOf(document)) expect(componentsOf(whole)).toContain(component);
    const used = operationsOf({ ...document.paths, ...document.webhooks }).flatMap(({ operation }) => operation.tags ?? []);
    expect(document.tags.map(({ name }) => name).sort()).toStrictEqual([...new Set(used)].sort());
  });

  it.each(AUDIENCES)('are valid by the JSON Schema of OpenAPI 3.1 and pass the linter (%s)', async (audience) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
    addFormats.default(ajv);
    ajv.validate(OPENAPI_3_1, documents[audience]);
    expect(ajv.errors ?? []).toStrictEqual([]);
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { 'no-server-example.com': 'off', 'operation-4xx-problem-details-rfc7807': 'off', 'operation-4xx-response': 'off' },
    });
    const problems = await lintFromString({ source: JSON.stringify(documents[audience]), absoluteRef: 'openapi.json', config });
    // The specification names the path of a job on a read model; the calls that it resembles are POST, and it is GET.
    const real = problems.filter(
      ({ ruleId, message }) => ruleId !== 'no-ambiguous-paths' || !message.includes('/projections/jobs/{jobId}'),
    );
    expect(real.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`)).toStrictEqual([]);
  });
});

interface PostmanRequest {
  readonly method: string;
  readonly url: { readonly path: readonly string[]; readonly variable?: readonly { readonly key: string }[] };
  readonly body?: { readonly raw: string };
}

describe('the collection', () => {
  it('has one request for each of the partners’ operations, with every parameter of its path', () => {
    const { item } = postmanCollection(documents.partner, 'https://rupa.example') as {
      item: { name: string; item: { name: string; request: PostmanRequest }[] }[];
    };
    const requests = item.flatMap((folder) => folder.item.map(({ request }) => request));
    const called = requests.map(({ method, url }) => `${method} /${url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`);
    const described = operationsOf(documents.partner.paths).map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(called.sort()).toStrictEqual(described.sort());
    for (const { url } of requests)
      expect((url.variable ?? []).map(({ key }) => `:${key}`)).toStrictEqual(url.path.filter((segment) => segment.startsWith(':')));
    for (const { body } of requests) if (body) expect(JSON.parse(body.raw)).toStrictEqual(expect.any(Object));
  });
});
