import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, Max, Min } from 'class-validator';
import { Ignores, Nested } from '../../../http/validating/dto.js';
import { IsCurrency, IsDate8601, IsNaira, MaxLength, Required } from '../../../http/validating/validation.js';
import { type Section } from '../../../kernel/section-names.js';
import { MAX_TEXT } from '../../../kernel/storable.js';
import { type FieldClass, fieldsOf, type Kind } from '../domain/fields.js';
import { type Recorded, SECTION_CLASSES, type SectionOf } from '../domain/sections.js';

/** JSON Schema in the form that @nestjs/swagger takes. OpenAPI 3.1 expresses `nullable` as the type `null`. */
export interface NullableSchema {
  readonly type: string;
  readonly nullable?: true;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: NullableSchema;
  readonly properties?: Readonly<Record<string, NullableSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

type SchemaOf = (type: FieldClass) => NullableSchema;

/** Random draws for generated data. */
interface Draw {
  chance(probability: number): boolean;
  /** Returns an integer from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  some<T>(list: readonly T[], low: number, high: number): T[];
}

/** The one definition of a kind of field. */
interface Definition<K extends Kind> {
  /** Returns class-validator's decorators of a field that administrators record. */
  readonly accepts: (kind: K) => readonly PropertyDecorator[];
  /** @param schemaOf returns the schema of a nested object */
  readonly schema: (kind: K, schemaOf: SchemaOf) => NullableSchema;
  /** Returns a valid value, for demo data. */
  readonly sample: (kind: K, draw: Draw) => unknown;
}

const MAX_TEXTS = 100;
const MAX_SCORE = 1_000;
const MAX_SAMPLE = 100;

const KINDS: { readonly [Is in Kind['is']]: Definition<Extract<Kind, { readonly is: Is }>> } = {
  text: {
    accepts: ({ max }) => [IsString(), MaxLength(max)],
    schema: () => ({ type: 'string' }),
    sample: ({ max }, draw) => `demo ${draw.integer(1, 9)}`.slice(0, max),
  },
  texts: {
    accepts: () => [IsArray(), ArrayMaxSize(MAX_TEXTS), IsString({ each: true }), MaxLength(MAX_TEXT, { each: true })],
    schema: () => ({ type: 'array', items: { type: 'string' } }),
    sample: (_kind, draw) => draw.some(['one', 'two', 'three'], 0, 3),
  },
  'one-of': {
    accepts: ({ values }) => [IsIn(values)],
    schema: ({ values }) => ({ type: 'string', enum: values }),
    sample: ({ values }, draw) => draw.pick(values),
  },
  'some-of': {
    accepts: ({ values }) => [IsIn(values, { each: true }), ArrayMaxSize(values.length), IsArray()],
    schema: ({ values }) => ({ type: 'array', items: { type: 'string', enum: values } }),
    sample: ({ values }, draw) => draw.some(values, 0, values.length),
  },
  currency: {
    accepts: () => [IsString(), IsCurrency()],
    schema: () => ({ type: 'string', description: 'ISO 4217 code.' }),
    sample: () => 'NGN',
  },
  date: {
    accepts: () => [IsDate8601()],
    schema: () => ({ type: 'string', examples: ['2026-03-01'] }),
    sample: (_kind, draw) => `2026-0${draw.integer(1, 9)}-01`,
  },
  time: {
    accepts: () => [IsDate8601()],
    schema: () => ({ type: 'string', format: 'date-time' }),
    sample: (_kind, draw) => `2026-0${draw.integer(1, 9)}-01T09:30:00.000Z`,
  },
  flag: { accepts: () => [IsBoolean()], schema: () => ({ type: 'boolean' }), sample: (_kind, draw) => draw.chance(0.5) },
  id: numeric(IsInt, () => [0], { type: 'integer' }),
  amount: numeric(IsNaira, () => [0], { type: 'number', minimum: 0 }),
  count: numeric(IsInt, ({ max }) => [0, max], { type: 'integer', minimum: 0 }),
  score: numeric(IsInt, () => [0, MAX_SCORE], { type: 'integer' }),
  quantity: numeric(IsNumber, () => [], { type: 'number' }),
  size: numeric(IsNumber, ({ max }) => [0, max], { type: 'number', minimum: 0 }),
  degrees: numeric(IsNumber, ({ max }) => [-max, max], { type: 'number' }),
  'vegetation-index': numeric(IsNumber, () => [-1, 1], { type: 'number', minimum: -1, maximum: 1 }),
  object: {
    accepts: ({ of }) => [nested(of)],
    schema: ({ of }, schemaOf) => schemaOf(of),
    sample: ({ of }, draw) => sampleObject(draw, of),
  },
  list: {
    accepts: ({ of, max }) => [nested(of, { many: true }), ArrayMaxSize(max), IsArray()],
    schema: ({ of }, schemaOf) => ({ type: 'array', items: schemaOf(of) }),
    sample: ({ of }, draw) => Array.from({ length: draw.integer(0, 2) }, () => sampleObject(draw, of)),
  },
};

/** @param limits the least and the greatest number that is accepted */
function numeric<K extends Kind>(
  type: () => PropertyDecorator,
  limits: (kind: K) => readonly [low?: number | undefined, high?: number | undefined],
  schema: NullableSchema,
): Definition<K> {
  return {
    accepts: (kind) => {
      const [low, high] = limits(kind);
      return [type(), ...(low === undefined ? [] : [Min(low)]), ...(high === undefined ? [] : [Max(high)])];
    },
    schema: () => schema,
    sample: (kind, draw) => draw.integer(0, Math.min(limits(kind)[1] ?? MAX_SAMPLE, MAX_SAMPLE)),
  };
}

function definitionOf(kind: Kind): Definition<Kind> {
  return KINDS[kind.is] as Definition<Kind>;
}

export function kindSchema(kind: Kind, schemaOf: SchemaOf): NullableSchema {
  return definitionOf(kind).schema(kind, schemaOf);
}

const validated = new WeakSet<FieldClass>();

/**
 * Returns the decorator of a nested object, or list of objects, that its class validates: it adds class-validator's decorators to the
 * recorded fields of the class. Lookup-only fields may be sent and are left out, so that a record can be sent as it is shown.
 */
export function nested(type: FieldClass, options?: { readonly many: boolean }): PropertyDecorator {
  if (!validated.has(type)) {
    validated.add(type);
    const computed = fieldsOf(type).filter(({ lookupOnly }) => lookupOnly);
    Ignores(...computed.map(({ name }) => name))(type);
    for (const { name, kind, required } of recordedFieldsOf(type))
      for (const decorate of [...definitionOf(kind).accepts(kind), required ? Required() : IsOptional()])
        decorate(type.prototype as object, name);
  }
  return Nested(() => type, options);
}

/** Returns valid content for a section that demo data has no generator of its own for. */
export function sampleSection<S extends Section>(draw: Draw, section: S): Recorded<SectionOf<S>> {
  return sampleObject(draw, SECTION_CLASSES[section]);
}

function sampleObject(draw: Draw, type: FieldClass): object {
  return Object.fromEntries(recordedFieldsOf(type).map(({ name, kind }) => [name, definitionOf(kind).sample(kind, draw)]));
}

function recordedFieldsOf(type: FieldClass) {
  return fieldsOf(type).filter(({ lookupOnly }) => !lookupOnly);
}
