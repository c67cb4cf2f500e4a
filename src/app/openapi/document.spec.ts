import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { RequestMethod, type Type } from '@nestjs/common';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { FEATURES } from '../app.module.js';
import { openApiDocument } from './document.js';

const document = openApiDocument('http://127.0.0.1:3000') as { paths: Record<string, Record<string, { responses: object }>> };

describe('the OpenAPI document', () => {
  it('is accepted by the linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { 'no-server-example.com': 'off', 'operation-4xx-problem-details-rfc7807': 'off' },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    // Health has nothing to refuse.
    const real = problems.filter(
      ({ ruleId, location }) => ruleId !== 'operation-4xx-response' || !location[0]?.pointer?.includes('~1health'),
    );
    expect(real.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`)).toStrictEqual([]);
  });

  it('describes every route that is served, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toStrictEqual(servedRoutes().sort());
  });

  it('has an example for every answer that has a body', () => {
    const without = JSON.stringify(document, (key, value: unknown) =>
      key === 'content' && !JSON.stringify(value).includes('"example"') ? 'NO EXAMPLE' : value,
    );
    expect(without).not.toContain('NO EXAMPLE');
  });
});

/** As Nest's decorators have them. */
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
          .map((part) => part.replaceAll(/^\/|\/$/g, ''))
          .filter((part) => part !== '')
          .join('/')
          .replaceAll(/:(\w+)/g, '{$1}')}`,
    );
  });
}
