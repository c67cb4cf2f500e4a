type Json = Record<string, unknown>;
type Variants = ReadonlyMap<string, readonly Json[]>;

/**
 * Returns a copy of the document in which an object may have no property that its schema does not name. A part of an `allOf` stays open,
 * because another part may name the property. A reference to a schema with a discriminator is one to its variants, each with its value.
 */
export function strict(document: object): unknown {
  return strictPart(document, '', variantsIn((document as { components: { schemas: Readonly<Record<string, Json>> } }).components.schemas));
}

function strictPart(value: unknown, name: string, variants: Variants): unknown {
  if (Array.isArray(value)) return value.map((item) => strictPart(item, name, variants));
  if (typeof value !== 'object' || value === null) return value;
  const part = value as Json;
  const found = name === 'allOf' ? undefined : variants.get(String(part.$ref));
  if (found) return { oneOf: found };
  const copy = Object.fromEntries(
    Object.entries(part).map(([key, item]) => [key, key === 'example' || key === 'examples' ? item : strictPart(item, key, variants)]),
  );
  const isOpen = name === 'allOf' || 'discriminator' in part;
  const closed = (part.properties !== undefined && !isOpen) || part.allOf !== undefined;
  return closed && !('additionalProperties' in part) ? { ...copy, unevaluatedProperties: false } : copy;
}

function variantsIn(schemas: Readonly<Record<string, Json>>): Variants {
  return new Map(
    Object.entries(schemas).flatMap(([name, { discriminator }]): [string, readonly Json[]][] => {
      if (discriminator === undefined) return [];
      const { propertyName, mapping } = discriminator as { propertyName: string; mapping: Readonly<Record<string, string>> };
      const variants = Object.entries(mapping).map(([value, $ref]) => ({
        allOf: [{ $ref }, { properties: { [propertyName]: { const: value } } }],
      }));
      return [[`#/components/schemas/${name}`, variants]];
    }),
  );
}
