import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { RequestMethod, type Type } from '@nestjs/common';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createRequire } from 'node:module';
import { TEST_FARMERS } from '../contexts/farmers/public.js';
import { TABLE_TYPES } from '../http/validating/request-body.js';
import { FEATURES } from './app.module.js';
import { type Document, operationsOf, type Part, resolved } from '../documentation/openapi/parts.js';
import { previewDocument } from './preview-document.js';

/**
 * The JSON Schema that the OpenAPI Initiative publishes for version 3.1. It does not check schema objects, which are JSON Schema 2020-12.
 */
const OPENAPI_3_1 = createRequire(import.meta.url)('@seriousme/openapi-schema-validator/schemas/v3.1/schema.json') as object;
const SCHEMAS_BY_NAME = new Set(['schemas', 'properties', 'patternProperties']);
const SCHEMAS = new Set(['schema', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf']);

let document: Document;
beforeAll(async () => {
  document = await previewDocument('http://127.0.0.1:3000');
});

describe('the OpenAPI document', () => {
  it('is valid by the official JSON Schema of OpenAPI 3.1', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
    addFormats.default(ajv);
    ajv.validate(OPENAPI_3_1, document);
    expect(ajv.errors ?? []).toStrictEqual([]);
  });

  it('names every test farmer at the lookup', () => {
    const lookup = document.paths['/v1/rupa/lookup']?.post as { description?: string } | undefined;
    for (const { rupa_id } of TEST_FARMERS) expect(lookup?.description).toContain(`- \`${rupa_id}\`: `);
  });

  it('names JSON first, the media type of merge patches where one is taken, and those of tables where a file is', () => {
    const taken = operationsOf(document.paths).flatMap(({ operation }) => Object.keys(operation.requestBody?.content ?? {}).join(' '));
    const tables = TABLE_TYPES.join(' ');
    expect(new Set(taken)).toStrictEqual(new Set(['', 'application/json', 'application/json application/merge-patch+json', tables]));
    const patch = document.paths['/admin/v1/partners/{id}']?.patch?.requestBody?.content ?? {};
    expect(Object.keys(patch)).toContain('application/merge-patch+json');
  });

  it('has summaries in plain text, because pages show them as they are', () => {
    const summaries = operationsOf(document.paths).map(({ operation }) => String((operation as { summary?: string }).summary));
    expect(summaries.length).toBeGreaterThan(50);
    expect(summaries.filter((summary) => /[`*]|^undefined$/.test(summary))).toStrictEqual([]);
  });

  it('has an example for each parameter of a path, which the collection fills in', () => {
    const parameters = operationsOf(document.paths).flatMap(({ operation }) =>
      (operation.parameters ?? []).map((each) => resolved(each, document)),
    );
    const inPaths = parameters.filter((parameter) => parameter.in === 'path');
    expect(inPaths.length).toBeGreaterThan(20);
    expect(inPaths.filter(({ example }) => example === undefined).map(({ name }) => name)).toStrictEqual([]);
  });

  it('has only schemas that the meta-schema of JSON Schema 2020-12 accepts', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    const schemas = schemasIn(document);
    expect(schemas.length).toBeGreaterThan(300);
    const wrong = schemas.flatMap(({ at, schema }) => (ajv.validateSchema(schema) === true ? [] : [`${at}: ${ajv.errorsText()}`]));
    expect(wrong).toStrictEqual([]);
  });

  it('has only schemas that strict validators compile: no unknown keyword, no keyword of another type', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    addFormats.default(ajv);
    ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'paths', 'webhooks', 'components', 'security', 'discriminator']);
    ajv.addSchema({ components: document.components }, 'openapi');
    const compiled = Object.keys(document.components.schemas).map((name) => ajv.getSchema(`openapi#/components/schemas/${name}`));
    expect(compiled).not.toContain(undefined);
  });

  it('passes the OpenAPI linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { 'no-server-example.com': 'off', 'operation-4xx-problem-details-rfc7807': 'off' },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    // The health endpoints take no input, so they have no 4xx response. The specification names the path of a job on a read model; the
    // calls that it resembles are POST, and it is GET.
    const real = problems.filter(
      ({ ruleId, message, location }) =>
        (ruleId !== 'operation-4xx-response' || !location[0]?.pointer?.includes('~1health')) &&
        (ruleId !== 'no-ambiguous-paths' || !message.includes('/projections/jobs/{jobId}')),
    );
    expect(real.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`)).toStrictEqual([]);
  });

  it('describes every route that is served, and no other', () => {
    const described = operationsOf(document.paths).map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.sort()).toStrictEqual(servedRoutes().sort());
  });

  it('lists the operations of partners first', () => {
    const schemes = operationsOf(document.paths).map(({ operation }) => Object.keys(operation.security?.[0] ?? {})[0] ?? 'none');
    expect([...new Set(schemes)]).toStrictEqual(['partner', 'administrator', 'none']);
    expect(schemes.lastIndexOf('partner')).toBeLessThan(schemes.indexOf('administrator'));
  });

  it('has X-Request-Id on every response, and as a parameter of every operation but those of administrators', () => {
    for (const { path, operation } of operationsOf(document.paths)) {
      for (const response of Object.values(operation.responses)) {
        const name = /^#\/components\/responses\/(.+)$/.exec(String(response.$ref))?.[1];
        const { headers = {} } = (name ? document.components.responses[name] : response) as { headers?: object };
        expect(headers).toHaveProperty('X-Request-Id');
      }
      const chosen = JSON.stringify(operation.parameters ?? []).includes('RequestId');
      expect([path, chosen]).toStrictEqual([path, !path.startsWith('/admin/')]);
    }
  });

  it('has the same type for the id of a webhook endpoint in paths and in responses', () => {
    const parameters = operationsOf(document.paths)
      .filter(({ path }) => path.startsWith('/v1/rupa/webhooks/{id}'))
      .map(({ operation }) => operation.parameters?.find(({ name }) => name === 'id')?.schema);
    const { properties } = document.components.schemas.WebhookEndpoint as { properties: { id: Part } };
    expect(parameters).toHaveLength(12);
    expect(new Set(parameters.map((schema) => JSON.stringify(schema)))).toStrictEqual(
      new Set(['{"type":"integer","minimum":1,"format":"int64"}']),
    );
    expect(properties.id).toStrictEqual({ type: 'integer', minimum: 1, format: 'int64' });
  });
});

/** Returns every schema in a part of the document, however deeply nested. */
function schemasIn(part: unknown, at = '#'): readonly { readonly at: string; readonly schema: object }[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'example' || key === 'examples' || typeof value !== 'object' || value === null) return [];
    const here = `${at}/${key}`;
    const found = SCHEMAS_BY_NAME.has(key) || Array.isArray(value) ? Object.values(value) : [value];
    const schemas = SCHEMAS_BY_NAME.has(key) || SCHEMAS.has(key) ? found.map((schema: object) => ({ at: here, schema })) : [];
    return [...schemas, ...schemasIn(value, here)];
  });
}

/** Returns the routes that Nest's decorators declare. */
function servedRoutes(): string[] {
  return FEATURES.flatMap((module) => ((Reflect.getMetadata('controllers', module) ?? []) as Type[]).flatMap(routesOf));
}

function routesOf(controller: Type): string[] {
  const base = Reflect.getMetadata('path', controller) as string;
  const handlers = Object.getOwnPropertyNames(controller.prototype).map((name) => (controller.prototype as Record<string, object>)[name]);
  return handlers.flatMap((handler) => {
    const method = handler && (Reflect.getMetadata('method', handler) as RequestMethod | undefined);
    if (!handler || method === undefined) return [];
    const paths = [Reflect.getMetadata('path', handler) as string | string[]].flat();
    return paths.map(
      (path) =>
        `${RequestMethod[method]} /${[base, path]
          .map((part) => part.replaceAll(/^\/|\/$/g, '').replace('*', '{path}'))
          .filter((part) => part !== '')
          .join('/')
          .replaceAll(/:(\w+)/g, '{$1}')}`,
    );
  });
}
