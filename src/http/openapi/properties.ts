import { ID_PATTERN } from '../validating/validation.js';
import { ApiParam, type ApiParamOptions, ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';

/** Key under which a response or a schema carries the name of its component until the document is finished. */
export const COMPONENT = 'x-component';

/** Key of a schema that takes any value; @nestjs/swagger needs a type until the document is finished. */
export const ANY = 'x-any';

/** JSON Schema keywords of a property, in addition to those of its type. */
export interface Facts {
  readonly description?: string;
  readonly nullable?: boolean;
  /** False if a response may omit the property. */
  readonly required?: boolean | readonly string[];
  readonly [keyword: string]: unknown;
}

/** A description, or a description with further keywords. */
type Details = string | Facts;

function property(kind: Facts, details: Details = {}): PropertyDecorator {
  const facts = typeof details === 'string' ? { description: details } : details;
  return ApiProperty({ ...kind, ...facts } as ApiPropertyOptions);
}

export const Text = (details?: Details): PropertyDecorator => property({ type: 'string' }, details);
export const Flag = (details?: Details): PropertyDecorator => property({ type: 'boolean' }, details);
/** A number that may have decimals or be negative. */
export const Decimal = (details?: Details): PropertyDecorator => property({ type: 'number' }, details);
export const Integer = (details?: Details): PropertyDecorator => property({ type: 'integer' }, details);
export const Count = (details?: Details): PropertyDecorator => property({ type: 'integer', minimum: 0 }, details);
/** An identifier that the service assigns: a positive whole number. */
export const Id = (details?: Details): PropertyDecorator => property({ type: 'integer', minimum: 1 }, details);
/** NGN with at most two decimals, never negative. */
export const Naira = (details: Details = 'NGN.'): PropertyDecorator => property({ type: 'number', minimum: 0 }, details);
/** A timestamp in UTC, ISO 8601. */
export const Time = (details?: Details): PropertyDecorator => property({ type: 'string', format: 'date-time' }, details);
export const OneOf = (values: readonly string[], details?: Details): PropertyDecorator =>
  property({ type: 'string', enum: values }, details);
export const RupaId = (details?: Details): PropertyDecorator => property(RUPA_ID, details);

/** Amounts in NGN by the fee's key. */
export const NairaByFee = (details?: Details): PropertyDecorator =>
  property(
    { [COMPONENT]: 'AmountsByFee', type: 'object', additionalProperties: { type: 'number', minimum: 0, description: 'NGN.' } },
    details,
  );

/** Messages of a validation by the field that was sent. */
const MESSAGES_BY_FIELD = {
  [COMPONENT]: 'MessagesByField',
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
} as const;
export const MessagesByField = (details?: Details): PropertyDecorator => property(MESSAGES_BY_FIELD, details);

/** An object with any fields. */
export const FreeForm = (details?: Details): PropertyDecorator => property(FREE_FORM, details);

/** The schema of an object with any fields. */
export const FREE_FORM = { [COMPONENT]: 'JsonObject', type: 'object', additionalProperties: true } as const;

/** A list of strings, or of some of `values` if they are given. */
export function Texts(values?: readonly string[], details?: Details): PropertyDecorator {
  return property({ type: 'array', items: { type: 'string', ...(values ? { enum: values } : {}) } }, details);
}

/** A list of whole numbers, of which none is negative. */
export const Integers = (details?: Details): PropertyDecorator =>
  property({ type: 'array', items: { type: 'integer', minimum: 0 } }, details);

/** A nested object. */
export const Nested = (type: object, details?: Details): PropertyDecorator => property({ type }, details);
export const ListOf = (type: object, details?: Details): PropertyDecorator => property({ type: [type] }, details);

/** The schema of a Rupa ID. */
export const RUPA_ID = {
  type: 'string',
  description: '1–64 letters, digits and hyphens; compared case-insensitively, returned in lower case.',
  pattern: ID_PATTERN,
  maxLength: 64,
  examples: ['rp-test-gold'],
} as const;

/** A nested object without a class of its own, with the names of its required properties. */
export function Shaped(properties: Readonly<Record<string, Facts>>, required: readonly string[], more: Facts = {}): PropertyDecorator {
  return property({ type: 'object', properties, required, selfRequired: true }, more);
}

/** Documents a parameter of the path. The framework drops an example that stands beside a schema. */
export function PathParameter({
  name,
  description,
  schema,
  example,
}: {
  readonly name: string;
  readonly description: string;
  readonly schema: Facts;
  readonly example: string | number;
}): ClassDecorator & MethodDecorator {
  return ApiParam({ name, description, schema: { ...schema, example } } as ApiParamOptions);
}

/** Documents the Rupa ID in a path. @param example by default a test farmer, whom only partners can look up and report about */
export const RupaIdParameter = (example: string = EXAMPLE.rupa_id): ClassDecorator & MethodDecorator =>
  PathParameter({
    name: 'rupaId',
    description: 'The farmer’s Rupa ID.',
    schema: { type: 'string', pattern: RUPA_ID.pattern, maxLength: RUPA_ID.maxLength },
    example,
  });

/**
 * Values that the examples of several contexts share. `rupa_id` is a test farmer, who exists in every sandbox, so that partners can send their
 * examples; `registered` is one whom administrators can register.
 */
export const EXAMPLE = {
  rupa_id: 'rp-test-gold',
  registered: 'rp-spvyqbds',
  partner_id: '0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11',
  lookup_id: '7f1d5b52-3c7e-4d2b-9f27-1f4bb7a6a0c3',
  hash: 'c0a1f3d2b4e5968778695a4b3c2d1e0f00112233445566778899aabbccddeeff',
} as const;

/** Sets the component name of a class in the document, and the example for its requests and responses. */
export function Schema(name: string, example?: object): ClassDecorator {
  return ApiSchema({ name, ...(example ? { examples: [example] } : {}) });
}
