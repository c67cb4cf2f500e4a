import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { inputSchema } from '../../../http/openapi/constraints.js';
import { Nested, COMPONENT } from '../../../http/openapi/properties.js';
import { type Section, SECTIONS } from '../../../kernel/section-names.js';
import { ABSENT, type Field, type FieldClass, fieldsOf } from '../domain/fields.js';
import { SECTION_CLASSES } from '../domain/sections.js';
import { kindSchema, type NullableSchema } from './field-kinds.js';

/** `recorded`: the schema of what administrators read. `shown`: the schema of what a lookup returns. */
type SchemaUse = 'recorded' | 'shown';

const DATA_AS_OF: NullableSchema = { type: 'string', description: 'The date or time that the section’s data is from, in ISO 8601.' };

/** Returns the name of a section's OpenAPI component, such as BvnNinData for `bvn_nin_data`. */
export function componentOf(section: Section): string {
  return section.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the schema of a section as a lookup shows it. Every field is required. */
function shownSchema(section: Section): NullableSchema {
  const { properties, ...schema } = objectSchema(SECTION_CLASSES[section], 'shown');
  return { ...schema, properties: { ...properties, data_as_of: DATA_AS_OF } };
}

/** Returns the schema of a section as administrators read it. */
function recordedSchema(section: Section): NullableSchema {
  return objectSchema(SECTION_CLASSES[section], 'recorded');
}

/** Returns the schema of a section as administrators send it, by the constraints that its classes have once a request declares them. */
export function sentSchema(section: Section): NullableSchema {
  return inputSchema(SECTION_CLASSES[section], (type) => `Record${nameOf(type)}`, describedAs) as NullableSchema;
}

function describedAs(type: FieldClass, property: string): { readonly description?: string } {
  const description = fieldsOf(type).find(({ name }) => name === property)?.description;
  return description === undefined ? {} : { description };
}

function nameOf(type: FieldClass): string {
  const section = SECTIONS.find((each) => SECTION_CLASSES[each] === type);
  return section ? componentOf(section) : type.name;
}

function objectSchema(type: FieldClass, use: SchemaUse): NullableSchema {
  const fields = fieldsOf(type).filter(({ lookupOnly }) => use === 'shown' || !lookupOnly);
  const required = fields.filter((field) => field.required || (use === 'shown' && field.fallback !== ABSENT)).map(({ name }) => name);
  return {
    [COMPONENT]: `${use === 'recorded' ? 'Recorded' : ''}${nameOf(type)}`,
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, use)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

function fieldSchema({ kind, description, required, fallback }: Field, use: SchemaUse): NullableSchema {
  const nullable = !required && (use === 'recorded' || fallback === null || fallback === ABSENT);
  return {
    ...kindSchema(kind, (type) => objectSchema(type, use)),
    ...(description ? { description } : {}),
    ...(nullable ? { nullable } : {}),
  };
}

/** Returns @nestjs/swagger's decorator for a property with an inline schema. */
export function apiProperty({ required, ...schema }: NullableSchema, isRequired: boolean): PropertyDecorator {
  return ApiProperty({
    ...schema,
    ...(required ? { required, selfRequired: isRequired } : { required: isRequired }),
  } as unknown as ApiPropertyOptions);
}

/** Registers each section's class with @nestjs/swagger as the component of what a lookup shows. */
for (const section of SECTIONS) {
  const type = SECTION_CLASSES[section];
  const { properties = {} } = shownSchema(section);
  ApiSchema({ name: componentOf(section) })(type);
  for (const [name, schema] of Object.entries(properties)) apiProperty(schema, true)(type.prototype, name);
}

/** Declares every section on a response class as a lookup shows it. A response omits sections that were not requested. */
export function ShowsSections(): ClassDecorator {
  return ({ prototype }) => {
    for (const section of SECTIONS) Nested(SECTION_CLASSES[section], { required: false })(prototype as object, section);
  };
}

/** Declares every section on a response class as it was recorded. A response omits sections that were never recorded. */
export function HoldsSections(): ClassDecorator {
  return ({ prototype }) => {
    for (const section of SECTIONS) apiProperty(recordedSchema(section), false)(prototype as object, section);
  };
}
