import 'reflect-metadata';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { DATE_8601_PATTERN, DAY_PATTERN } from '../../kernel/iso-8601.js';
import { MAX_KOBO, toNaira } from '../../kernel/money.js';
import { MAX_VAT_PERCENT } from '../../kernel/vat.js';
import { ignoredFields, nestedType } from '../validating/dto.js';
import { type Condition, type Metadata } from '../validating/field-errors.js';
import { type Facts, FREE_FORM, RUPA_ID, ANY, COMPONENT } from './properties.js';

type Constructor = new () => object;

/** JSON Schema keywords of each constraint. Their error messages are in http/validating/validation.ts. */
const KEYWORDS: Readonly<Record<string, (constraints: readonly unknown[]) => Facts>> = {
  required: () => ({}),
  isOptional: () => ({}),
  // This is the name of NullOr and IfSent.
  conditionalValidation: ([condition]) => ((condition as Condition)({}, null) ? {} : { nullable: true }),
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isVatPercent: () => ({ type: 'number', minimum: 0, maximum: MAX_VAT_PERCENT }),
  isNaira: () => ({ type: 'number', minimum: -toNaira(MAX_KOBO), maximum: toNaira(MAX_KOBO) }),
  isArray: () => ({ type: 'array' }),
  isObject: () => FREE_FORM,
  nestedValidation: () => ({}),
  isIn: ([allowed]) => ({ type: 'string', enum: allowed }),
  min: ([least]) => ({ minimum: least }),
  max: ([most]) => ({ maximum: most }),
  minLength: ([least]) => ({ minLength: least }),
  maxLength: ([most]) => ({ maxLength: most }),
  arrayMaxSize: ([most]) => ({ maxItems: most }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  isCurrency: () => ({ description: 'ISO 4217 code.', pattern: '^[A-Za-z]{3}$' }),
  isDate8601: () => ({ type: 'string', description: 'ISO 8601 date or timestamp.', pattern: DATE_8601_PATTERN }),
  isDay: () => ({ type: 'string', description: 'A day such as 2026-03-31.', pattern: DAY_PATTERN }),
  isRupaId: () => RUPA_ID,
  maxBytes: ([most]) => ({ description: `At most ${String(most)} bytes as JSON.` }),
  isChainHead: ([pattern]) => ({ type: 'string', pattern }),
  isNetwork: () => ({ type: 'string' }),
  isGroups: () => ({ type: 'string' }),
};

const PROPERTY = 'swagger/apiModelProperties';
/** Keywords that @nestjs/swagger adds to the schema of a class. */
const CLASS_KEYWORDS = 'swagger/apiExtension';
/** The service refuses what a class does not declare (http/validating/field-errors.ts). */
const CLOSED: Facts = { additionalProperties: false };
const IGNORED: Facts = { readOnly: true, description: 'Taken and not read, so that a response can be sent back.', [ANY]: true };
const UNREAD: Facts = { ...IGNORED, type: 'string', required: false };

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
 * Documents each property of a class by its constraints. A description, an example or a default in the class itself takes precedence.
 * @param isBody whether the class is that of a JSON body: null counts as missing there, and a query has no null
 */
export function describeClass(type: Constructor, isBody: boolean): void {
  const prototype = type.prototype as object;
  if (isBody) {
    Reflect.defineMetadata(CLASS_KEYWORDS, CLOSED, type);
    for (const name of ignoredFields(type)) ApiProperty(UNREAD as ApiPropertyOptions)(prototype, name);
  }
  for (const property of constrained(type)) {
    const declared = (Reflect.getMetadata(PROPERTY, prototype, property) ?? {}) as Facts;
    // A type that is a string was declared by hand and stays; the compiler's metadata has constructors.
    if (typeof declared.type === 'string') continue;
    const { isOptional, items, ...facts } = factsOf(type, property, isBody);
    const { description = facts.description, examples = facts.examples } = declared;
    const nested = nestedType(type, property);
    if (nested) describeClass(nested.type(), isBody);
    const of = nested && { type: nested.many ? [nested.type()] : nested.type() };
    // The class of a nested object says what the items of a list are.
    const listed = items === undefined || nested ? {} : { items };
    ApiProperty({ ...facts, ...listed, ...of, description, examples, required: !isOptional } as ApiPropertyOptions)(prototype, property);
  }
}

/**
 * Returns the schema of a JSON object by the constraints of its class, for a class that is the component of a response, too. The classes nested
 * in it become components.
 * @param nameOf returns the name of a class's component
 * @param more returns further keywords of a property
 */
export function inputSchema(
  type: Constructor,
  nameOf: (type: Constructor) => string,
  more: (type: Constructor, property: string) => Facts = () => ({}),
): Facts {
  const properties = constrained(type).map((property) => {
    const { isOptional, ...facts } = factsOf(type, property, true);
    const nested = nestedType(type, property);
    const { nullable, ...bounds } = facts;
    const schema = nested ? inputSchema(nested.type(), nameOf, more) : {};
    const whole = nested?.many ? { ...bounds, type: 'array', items: schema } : { ...bounds, ...schema };
    return { property, isOptional, schema: { ...whole, ...(nullable === true ? { nullable } : {}), ...more(type, property) } };
  });
  const required = properties.filter(({ isOptional }) => !isOptional).map(({ property }) => property);
  const ignored = ignoredFields(type).map((name): [string, Facts] => [name, IGNORED]);
  return {
    [COMPONENT]: nameOf(type),
    type: 'object',
    properties: Object.fromEntries([...properties.map(({ property, schema }): [string, Facts] => [property, schema]), ...ignored]),
    ...(required.length > 0 ? { required } : {}),
    ...CLOSED,
  };
}

function constrained(type: Constructor): string[] {
  return [
    ...new Set(
      getMetadataStorage()
        .getTargetValidationMetadatas(type, '', false, false)
        .map(({ propertyName }) => propertyName),
    ),
  ];
}

function factsOf(type: Constructor, property: string, isBody: boolean): Facts & { readonly isOptional: boolean } {
  const own = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .filter(({ propertyName }) => propertyName === property);
  const isNullOptional = own.some(({ name }) => name === 'isOptional');
  const isOptional = isNullOptional || own.some(isSkippedIfMissing);
  const each = own.filter((constraint) => constraint.each);
  const plain = own.filter((constraint) => !constraint.each);
  const whole = { ...(plain.some(({ name }) => name === 'required') ? notEmpty(keywords(plain)) : {}), ...keywords(plain) };
  const items = each.length > 0 && whole.type === 'array' ? { items: keywords(each) } : {};
  return { ...whole, ...items, ...(isNullOptional && isBody ? { nullable: true } : {}), isOptional };
}

/** Returns whether a condition lets a field be missing that may not be null. */
function isSkippedIfMissing({ name, type, constraints }: Metadata): boolean {
  return (name ?? type) === ValidationTypes.CONDITIONAL_VALIDATION && !(constraints[0] as Condition)({}, undefined);
}

/** Returns the bound that a required text has: an empty one counts as missing. */
function notEmpty({ type, enum: values, pattern }: Facts): Facts {
  return type === 'string' && values === undefined && pattern === undefined ? { minLength: 1 } : {};
}

/** Returns the keywords of several constraints, of several bounds the narrowest. @throws Error for a constraint that KEYWORDS lacks */
function keywords(constraints: readonly Metadata[]): Facts {
  const all = constraints.map(({ name, type, constraints: values }) => {
    const key = name ?? type;
    const facts = KEYWORDS[key];
    if (!facts) throw new Error(`The OpenAPI document does not know the constraint ${key}: add it to KEYWORDS.`);
    return facts((values as readonly unknown[] | undefined) ?? []);
  });
  const numbers = (keyword: string): number[] => all.map((facts) => facts[keyword]).filter((bound) => typeof bound === 'number');
  const [least, most] = [numbers('minimum'), numbers('maximum')];
  return {
    ...Object.fromEntries(all.flatMap((facts) => Object.entries(facts))),
    ...(least.length > 0 ? { minimum: Math.max(...least) } : {}),
    ...(most.length > 0 ? { maximum: Math.min(...most) } : {}),
  };
}
