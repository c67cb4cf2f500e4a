import { type Document, type Part, resolved } from './parts.js';

/** Returns the example of a schema or, for an object without one, an example composed of those of its properties. */
export function exampleOf(schema: Part | undefined, document: Document): unknown {
  if (!schema) return undefined;
  const own = resolved(schema, document);
  const [example] = Array.isArray(own.examples) ? (own.examples as unknown[]) : [own.const];
  if (example !== undefined) return example;
  const properties = Object.entries((own.properties ?? {}) as Record<string, Part>);
  if (properties.length === 0) return undefined;
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property, document)]));
}
