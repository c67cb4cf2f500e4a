import 'reflect-metadata';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { nestedType } from '../validating/dto.js';
import { type Facts, RUPA_ID } from './properties.js';

type Constructor = new () => object;
type Constraint = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** JSON Schema keywords of each constraint. Their error messages are in http/validating/validation.ts. */
const KEYWORDS: Readonly<Record<string, (constraints: readonly unknown[]) => Facts>> = {
  required: () => ({}),
  isOptional: () => ({}),
  // This is the name of NullOr.
  conditionalValidation: () => ({ nullable: true }),
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
  isCurrency: () => ({ description: 'ISO 4217 code.' }),
  isDate8601: () => ({ type: 'string', description: 'ISO 8601 date or timestamp.' }),
  isRupaId: () => RUPA_ID,
  maxBytes: ([most]) => ({ description: `At most ${String(most)} bytes as JSON.` }),
  isChainHead: () => ({ type: 'string' }),
  isNetwork: () => ({ type: 'string' }),
};

const PROPERTY = 'swagger/apiModelProperties';

/** Documents the classes of the body and the query of a handler. */
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
 * Documents each property of a class by its constraints. A description or example in the class itself takes precedence.
 * @param nullable whether null counts as missing, which is so in a JSON body; a query has no null
 */
export function describeClass(type: Constructor, nullable: boolean): void {
  const constraints = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  for (const property of new Set(constraints.map(({ propertyName }) => propertyName))) {
    const own = constraints.filter(({ propertyName }) => propertyName === property);
    const declared = (Reflect.getMetadata(PROPERTY, type.prototype as object, property) ?? {}) as Facts;
    // A type that is a string was declared by hand and stays; the compiler's metadata has constructors.
    if (typeof declared.type === 'string') continue;
    const optional = own.some(({ name }) => name === 'isOptional');
    const facts: Facts = { ...factsOf(own), ...nestedIn(type, property, nullable), ...(optional && nullable ? { nullable } : {}) };
    const { description = facts.description, examples = facts.examples } = declared;
    const options = { ...facts, description, examples, required: !optional };
    ApiProperty(options as ApiPropertyOptions)(type.prototype as object, property);
  }
}

function factsOf(constraints: readonly Constraint[]): Facts {
  const whole = keywords(constraints.filter(({ each }) => !each));
  const each = constraints.filter((constraint) => constraint.each);
  return each.length > 0 && whole.type === 'array' ? { ...whole, items: keywords(each) } : whole;
}

/** Returns the keywords of several constraints. @throws Error for a constraint that KEYWORDS lacks */
function keywords(constraints: readonly Constraint[]): Facts {
  const found: Facts = {};
  for (const { name, type, constraints: values } of constraints) {
    const key = name ?? type;
    const facts = KEYWORDS[key];
    if (!facts) throw new Error(`The OpenAPI document does not know the constraint ${key}: add it to KEYWORDS.`);
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
