import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { Nested } from '../../http/openapi/properties.js';
import { type Section, SECTIONS } from '../../kernel/section-names.js';
import { ABSENT, type Field, type FieldClass, fieldsOf, type Kind } from './domain/fields.js';
import { SECTION_CLASSES } from './domain/sections.js';

/** JSON Schema as @nestjs/swagger takes it: `nullable` becomes a type of its own in OpenAPI 3.1. */
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

/** Whether the schema is of what an administrator records and reads, or of what a lookup shows. */
type Of = 'recorded' | 'shown';

const AGE: NullableSchema = { type: 'string', description: 'How old the section is: an ISO 8601 date or timestamp.' };

/** The name of a section's component: `bvn_nin_data` is BvnNinData. */
export function componentOf(section: Section): string {
  return section.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A section as a lookup shows it: every field is always there. Lists of reported items show the newest 100, sums cover all. */
export function shownSchema(section: Section): NullableSchema {
  const { properties, ...schema } = objectSchema(SECTION_CLASSES[section], 'shown');
  return { ...schema, properties: { ...properties, data_as_of: AGE } };
}

/** A section as administrators send and read it: what is not sent is not known. */
export function recordedSchema(section: Section): NullableSchema {
  return objectSchema(SECTION_CLASSES[section], 'recorded');
}

function objectSchema(type: FieldClass, of: Of): NullableSchema {
  const fields = fieldsOf(type).filter(({ lookupOnly }) => of === 'shown' || !lookupOnly);
  const required = fields.filter((field) => field.required || (of === 'shown' && field.otherwise !== ABSENT)).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, of)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

function fieldSchema({ kind, description, required, otherwise }: Field, of: Of): NullableSchema {
  const nullable = !required && (of === 'recorded' || otherwise === null || otherwise === ABSENT);
  return { ...kindSchema(kind, of), ...(description ? { description } : {}), ...(nullable ? { nullable } : {}) };
}

function kindSchema(kind: Kind, of: Of): NullableSchema {
  switch (kind.is) {
    case 'text':
      return { type: 'string' };
    case 'texts':
      return { type: 'array', items: { type: 'string' } };
    case 'one-of':
      return { type: 'string', enum: kind.values };
    case 'some-of':
      return { type: 'array', items: { type: 'string', enum: kind.values } };
    case 'date':
      return { type: 'string', examples: ['2026-03-01'] };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'flag':
      return { type: 'boolean' };
    case 'id':
    case 'score':
      return { type: 'integer' };
    case 'count':
      return { type: 'integer', minimum: 0 };
    case 'amount':
    case 'size':
      return { type: 'number', minimum: 0 };
    case 'quantity':
    case 'degrees':
      return { type: 'number' };
    case 'vegetation-index':
      return { type: 'number', minimum: -1, maximum: 1 };
    case 'object':
      return objectSchema(kind.of, of);
    case 'list':
      return { type: 'array', items: objectSchema(kind.of, of) };
  }
}

/** A schema that is written out, as the options of @nestjs/swagger's decorators. */
export function apiProperty({ required, ...schema }: NullableSchema, isRequired: boolean): PropertyDecorator {
  return ApiProperty({
    ...schema,
    ...(required ? { required, selfRequired: isRequired } : { required: isRequired }),
  } as unknown as ApiPropertyOptions);
}

/** For @nestjs/swagger each section's class is the component of what a lookup shows. */
for (const section of SECTIONS) {
  const type = SECTION_CLASSES[section];
  const { properties = {} } = shownSchema(section);
  ApiSchema({ name: componentOf(section) })(type);
  for (const [name, schema] of Object.entries(properties)) apiProperty(schema, true)(type.prototype, name);
}

/** Gives a response every section as a lookup shows it; a section that was not asked for is left out. */
export function ShowsSections(): ClassDecorator {
  return ({ prototype }) => {
    for (const section of SECTIONS) Nested(SECTION_CLASSES[section], { required: false })(prototype as object, section);
  };
}

/** Gives a response every section as it was recorded; a section of which nothing was recorded is left out. */
export function HoldsSections(): ClassDecorator {
  return ({ prototype }) => {
    for (const section of SECTIONS) apiProperty(recordedSchema(section), false)(prototype as object, section);
  };
}
