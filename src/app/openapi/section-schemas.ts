import { componentOf, type NullableSchema, recordedSchema, shownSchema } from '../../contexts/farmers/section-schemas.js';
import { SECTIONS } from '../../kernel/section-names.js';
import { flag, list, nullable, type Properties, type Schema } from './schema.js';

/** The sections as a lookup shows them, by their components' names. */
export const sectionSchemas: Properties = Object.fromEntries(
  SECTIONS.map((section) => [componentOf(section), openApi31(shownSchema(section))]),
);

/** The sections as administrators send and read them. */
export const recordProperties: Properties = {
  phone_verified: flag,
  ...Object.fromEntries(SECTIONS.map((section) => [section, openApi31(recordedSchema(section))])),
};

/** OpenAPI 3.1 has no `nullable`: null is a type of its own. */
function openApi31({ nullable: isNullable, items, properties, ...rest }: NullableSchema): Schema {
  const schema: Schema = {
    ...rest,
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, openApi31(part)])) } : {}),
    ...(items ? list(openApi31(items)) : {}),
  };
  return isNullable ? nullable(schema) : schema;
}
