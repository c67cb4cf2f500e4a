import 'reflect-metadata';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { nestedType } from '../dto.js';
import { type Facts, RUPA_ID } from './properties.js';

type Constructor = new () => object;
type Constraint = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** JSON Schema of each validation that a body or a query may name (http/validation.ts has their messages). */
const KEYWORDS: Readonly<Record<string, (constraints: readonly unknown[]) => Facts>> = {
  required: () => ({}),
  isOptional: () => ({}),
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isNaira: () => ({ type: 'number' }),
  isArray: () => ({ type: 'array' }),
  isObject: () => ({ type: 'object', additionalProperties: true }),
  nestedValidation: () => ({}),
  isIn: ([allowed]) => ({ type: 'string', enum: allowed }),
  min: ([least]) => ({ minimum: least }),
  max: ([most]) => ({ maximum: most }),
  minLength: ([least]) => ({ minLength: least }),
  maxLength: ([most]) => ({ maxLength: most }),
  arrayMaxSize: ([most]) => ({ maxItems: most }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  isISO4217CurrencyCode: () => ({ description: 'ISO 4217 code.' }),
  isDate8601: () => ({ type: 'string', description: 'ISO 8601 date or timestamp.' }),
  isRupaId: () => RUPA_ID,
  maxBytes: ([most]) => ({ description: `At most ${String(most)} bytes as JSON.` }),
  isChainHead: () => ({ type: 'string' }),
  isNetwork: () => ({ type: 'string' }),
};

const PROPERTY = 'swagger/apiModelProperties';

/** Documents the classes that a handler takes as its body and its query. */
export function describeParameters(controller: object, handler: string | symbol): void {
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller, handler) ?? []) as readonly unknown[];
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller.constructor, handler) ?? {}) as Record<string, { index: number }>;
  for (const [place, { index }] of Object.entries(parameters)) {
    const type = types[index];
    if (typeof type !== 'function') continue;
    if (place.startsWith(`${RouteParamtypes.BODY}:`)) describeClass(type as Constructor, true);
    if (place.startsWith(`${RouteParamtypes.QUERY}:`)) describeClass(type as Constructor, false);
  }
}

/**
 * Gives each property of a class the OpenAPI facts that follow from its validation; what the class says itself stays.
 * @param nullable whether null counts as missing: in a JSON body it does, a query has none.
 */
export function describeClass(type: Constructor, nullable: boolean): void {
  const constraints = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  for (const property of new Set(constraints.map(({ propertyName }) => propertyName))) {
    const own = constraints.filter(({ propertyName }) => propertyName === property);
    const said = (Reflect.getMetadata(PROPERTY, type.prototype as object, property) ?? {}) as Facts;
    // A type by name was written out; the compiler notes constructors.
    if (typeof said.type === 'string') continue;
    const optional = own.some(({ name }) => name === 'isOptional');
    const facts: Facts = { ...factsOf(own), ...nestedIn(type, property, nullable), ...(optional && nullable ? { nullable } : {}) };
    const { description = facts.description, examples = facts.examples } = said;
    const options = { ...facts, description, examples, required: !optional };
    ApiProperty(options as ApiPropertyOptions)(type.prototype as object, property);
  }
}

function factsOf(constraints: readonly Constraint[]): Facts {
  const whole = keywords(constraints.filter(({ each }) => !each));
  const each = constraints.filter((constraint) => constraint.each);
  return each.length > 0 && whole.type === 'array' ? { ...whole, items: keywords(each) } : whole;
}

/** @throws Error for a validation that has no place in the document yet. */
function keywords(constraints: readonly Constraint[]): Facts {
  const found: Facts = {};
  for (const { name, type, constraints: values } of constraints) {
    const key = name ?? type;
    const facts = KEYWORDS[key];
    if (!facts) throw new Error(`The validation ${key} is not known to the OpenAPI document: add it to KEYWORDS.`);
    Object.assign(found, facts((values as readonly unknown[] | undefined) ?? []));
  }
  return found;
}

function nestedIn(type: Constructor, property: string, nullable: boolean): Facts {
  const nested = nestedType(type, property);
  if (!nested) return {};
  const of = nested.type();
  describeClass(of, nullable);
  return { type: nested.many ? [of] : of };
}
