import { describe, expect, it } from '@jest/globals';
import { type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { getMetadataStorage } from 'class-validator';
import 'reflect-metadata';
import { ReportDto, ReportsDto } from '../contexts/reports/report.dto.js';
import { type Constructor, type Input, type InputClass, isIgnored, nestedType } from '../http/validating/dto.js';
import { validateBody } from '../http/validating/validation.js';
import { parseJson } from '../kernel/json.js';
import { ValidationFailed } from '../kernel/validation-failed.js';
import { FEATURES } from './app.module.js';

type Class = new () => object;
/** The contexts of the inputs whose rules depend on more than themselves. */
const CONTEXT = { accountType: 'bank' as const, now: new Date('2026-03-01T00:00:00Z') };

interface Parameter {
  /** One of RouteParamtypes. */
  readonly kind: number;
  /** The part of the body, query or path that the handler takes; undefined for all of it. */
  readonly name: string | undefined;
  readonly pipes: readonly unknown[];
  readonly type: Class;
}

interface Route {
  readonly handler: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

const { BODY, QUERY, PARAM, HEADERS, REQUEST, RAW_BODY, FILE, FILES, HOST, SESSION }: Readonly<Record<string, number | string>> =
  RouteParamtypes;
/** Handlers that validate their body themselves, with the class of the body. */
const OWN_VALIDATION: Readonly<Record<string, Class>> = {
  'ReportController.report': ReportDto as unknown as Class,
  'ReportsController.report': ReportsDto as unknown as Class,
};
/** Handlers that read the caller's address, or authenticate the caller again, and read nothing else from the request. */
const TAKE_REQUEST = [
  'ProfilePageController.show',
  'CheckpointKeyController.show',
  'LogController.checkpoint',
  'LogController.tile',
  'EventsController.list',
];
/** Constraints that determine the type of a value; the others only limit it. */
const TYPES = [
  'isString',
  'isBoolean',
  'isInt',
  'isNumber',
  'isNaira',
  'isVatPercent',
  'isArray',
  'isObject',
  'isIn',
  'isRupaId',
  'isDate8601',
  'isDay',
  'isNetwork',
];
TYPES.push('isChainHead', 'isGroups', 'nestedValidation');

function routesOf(controller: Type): Route[] {
  const prefix = Reflect.getMetadata(PATH_METADATA, controller) as string;
  const { prototype } = controller as { prototype: Record<string, object> };
  return Object.getOwnPropertyNames(prototype).flatMap((method) => {
    const handler = prototype[method];
    if (handler === undefined || Reflect.getMetadata(METHOD_METADATA, handler) === undefined) return [];
    const types = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as Class[];
    const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
      string,
      { readonly index: number; readonly data?: string; readonly pipes: readonly unknown[] }
    >;
    const parameters = Object.entries(args).flatMap(([key, { index, data, pipes }]) => {
      const kind = Number(key.split(':')[0]);
      // Decorators of this project, such as @Actor() and @Caller(), take what guards have checked.
      return Number.isNaN(kind) ? [] : [{ kind, name: data, pipes, type: types[index] ?? Object }];
    });
    const path = `${prefix}/${Reflect.getMetadata(PATH_METADATA, handler) as string}`;
    return [{ handler: `${controller.name}.${method}`, path, parameters }];
  });
}

const routes = FEATURES.flatMap((module) => (Reflect.getMetadata('controllers', module) ?? []) as Type[]).flatMap(routesOf);

function constraintsOf(type: Class): Map<string, string[]> {
  const all = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return new Map(
    [...Map.groupBy(all, ({ propertyName }) => propertyName)].map(([property, found]) => [
      property,
      found.map(({ name, type: kind }) => name ?? kind),
    ]),
  );
}

const inputs = routes.flatMap(({ handler, parameters }) =>
  parameters
    .filter(({ kind }) => kind === BODY || kind === QUERY)
    .map(({ kind, type }): readonly [string, Class] => [
      `${handler} (${kind === BODY ? 'body' : 'query'})`,
      OWN_VALIDATION[handler] ?? type,
    ]),
);

describe('the routes', () => {
  it('are all found', () => {
    expect(routes.length).toBeGreaterThan(35);
    expect(inputs.length).toBeGreaterThan(15);
  });

  it('validate every parameter of their paths', () => {
    for (const { handler, path, parameters } of routes) {
      const named = parameters.filter(({ kind }) => kind === PARAM);
      const inPath = [...path.matchAll(/:(\w+)|\*/g)].map(([wildcard, name = wildcard]) => name);
      expect([handler, named.map(({ name }) => name).sort()]).toStrictEqual([handler, inPath.sort()]);
      expect([handler, named.filter(({ pipes }) => pipes.length === 0)]).toStrictEqual([handler, []]);
    }
  });

  it('take no input that nothing validates', () => {
    for (const { handler, parameters } of routes) {
      const unvalidated = [HEADERS, RAW_BODY, FILE, FILES, HOST, SESSION, ...(TAKE_REQUEST.includes(handler) ? [] : [REQUEST])];
      expect([handler, parameters.filter(({ kind }) => unvalidated.includes(kind))]).toStrictEqual([handler, []]);
    }
  });

  it('take queries and bodies as a whole, by their class', () => {
    for (const { handler, parameters } of routes) {
      const parts = parameters.filter(({ kind, name }) => (kind === BODY || kind === QUERY) && name !== undefined);
      expect([handler, parts]).toStrictEqual([handler, []]);
    }
  });
});

describe.each(inputs)('the input of %s', (_input, type) => {
  it('is of a class that validates the type of every field, and documents no other but those that it ignores', () => {
    const constraints = constraintsOf(type);
    expect(constraints.size).toBeGreaterThan(0);
    for (const [field, names] of constraints)
      expect([field, names.filter((name) => TYPES.includes(name)).length > 0]).toStrictEqual([field, true]);
    const documented = (Reflect.getMetadata('swagger/apiModelPropertiesArray', type.prototype as object) ?? []) as string[];
    const read = documented
      .map((property) => property.replace(/^:/, ''))
      .filter((property) => !isIgnored(type as unknown as Constructor, property));
    for (const property of read) expect([...constraints.keys()]).toContain(property);
  });

  it('has no integer without a maximum, which would be rounded', () => {
    for (const [field, names] of constraintsOf(type))
      if (names.includes('isInt')) expect([field, names]).toStrictEqual([field, expect.arrayContaining(['max'])]);
  });

  it('is refused with messages that name the field, with spaces for underscores, and the reason', () => {
    const found = hostileBodies(type).flatMap((body) => errorsOf(type, body));
    expect(found.length).toBeGreaterThan(0);
    for (const [field, sentence] of found) {
      expect(sentence.startsWith(`The ${field.replaceAll('_', ' ')} field `)).toBe(true);
      expect(sentence).toMatch(/ field (must|is|has) [^.].*\.$/);
      expect(sentence).not.toContain('is invalid');
    }
  });
});

const HOSTILE = [
  'null',
  '""',
  '"x\\u0000"',
  `"${'x'.repeat(5_000)}"`,
  '-1',
  '0.001',
  '1e15',
  '1e400',
  '60000000000000.001',
  'true',
  '[]',
  '[null]',
];
HOSTILE.push(
  '{}',
  '[{}]',
  '"2026-02-30"',
  '"2026-01-01T10:00:00"',
  '"1899-01-01"',
  '"2999-01-01"',
  '{"a_b":"\\u0000"}',
  '{"__proto__":-1e99}',
);

/** Returns JSON texts that have a hostile value in one field of the class, or of a class nested in it. */
function hostileBodies(type: Class, depth = 0): string[] {
  return [...constraintsOf(type).keys()].flatMap((field) => {
    const nesting = depth < 4 ? nestedType(type, field) : undefined;
    const inner = nesting ? hostileBodies(nesting.type(), depth + 1).map((body) => (nesting.many ? `[${body}]` : body)) : [];
    return [...HOSTILE, ...inner].map((value) => `{${JSON.stringify(field)}:${value}}`);
  });
}

function errorsOf(type: Class, body: string): [string, string][] {
  try {
    validateBody(type as unknown as InputClass<Input<typeof CONTEXT>>, parseJson(body), CONTEXT);
  } catch (error) {
    if (error instanceof ValidationFailed)
      return Object.entries(error.errors).flatMap(([field, sentences]) => sentences.map((each): [string, string] => [field, each]));
    throw error;
  }
  return [];
}
