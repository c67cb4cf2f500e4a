import { ANY, COMPONENT } from '../../http/openapi/properties.js';
import { type Document, type Part } from './parts.js';

type Components = Record<string, Part>;

/** Keys below which there is no schema. */
const NO_SCHEMAS = new Set(['example', 'examples', 'default', 'enum', 'mapping']);
/** Keywords that stay beside the reference to a component, because they are about the place and not about the type. */
const ABOUT_PLACE = new Set(['description', 'default', 'readOnly', 'examples']);

/**
 * Brings all schemas into the form that generators of clients read: objects and envelopes are named components, a nullable object is a
 * component or null, and integers have 64 bits.
 */
export function finishSchemas(document: Document): void {
  const found: Components = {};
  for (const [key, part] of Object.entries(document)) document[key] = finished(part, found);
  for (const name of Object.keys(found)) if (name in document.components.schemas) throw twice(name);
  Object.assign(document.components.schemas, found);
}

function finished(part: unknown, found: Components): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((item) => finished(item, found));
  const copy = Object.fromEntries(
    Object.entries(part).map(([key, value]: [string, unknown]) => [key, NO_SCHEMAS.has(key) ? value : finished(value, found)]),
  );
  return named(simplified(copy), found);
}

function simplified({ [ANY]: isAny, anyOf, ...schema }: Part): Part {
  if (isAny === true) delete schema.type;
  // The framework's form of a component or null, of which clients of NSwag refuse the null.
  if (anyOf !== undefined) schema.oneOf = anyOf;
  // JSON has integers of any size, and a generator that reads no format takes 32 bits.
  if ([schema.type].flat().includes('integer')) schema.format = 'int64';
  // The framework adds an allOf for OpenAPI 3.0. In 3.1 a reference may have siblings.
  if (!Array.isArray(schema.allOf) || schema.allOf.length !== 1) return schema;
  const { allOf, ...rest } = schema;
  return { ...rest, ...(allOf[0] as Part) };
}

/** Stores a schema that carries a name as a component, and returns a reference to it. @throws Error if two schemas have the same name */
function named({ [COMPONENT]: component, ...schema }: Part, found: Components): Part {
  if (typeof component !== 'string') return schema;
  const entries = Object.entries(schema);
  const isNullable = Array.isArray(schema.type);
  const own = Object.fromEntries(entries.filter(([keyword]) => !ABOUT_PLACE.has(keyword)));
  const type: Part = withoutMessage({ ...own, ...(isNullable ? { type: 'object' } : {}) });
  const known = found[component];
  if (known && JSON.stringify(known) !== JSON.stringify(type)) throw twice(component);
  found[component] = type;
  const $ref = `#/components/schemas/${component}`;
  const place = Object.fromEntries(entries.filter(([keyword]) => ABOUT_PLACE.has(keyword)));
  return isNullable ? { ...place, oneOf: [{ $ref }, { type: 'null' }] } : { ...place, $ref };
}

function twice(name: string): Error {
  return new Error(`Two schemas of the document are named ${name}.`);
}

/** Removes the message of one call from an envelope that several calls have. The examples of the calls keep it. */
function withoutMessage(envelope: Part): Part {
  const { message, ...properties } = (envelope.properties ?? {}) as Record<string, Part>;
  if (!message || !('success' in properties)) return envelope;
  const { examples, ...schema } = message;
  return { ...envelope, properties: { success: properties.success, message: schema, ...properties } };
}
