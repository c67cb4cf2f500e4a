type Json = Record<string, unknown>;

/**
 * Returns a copy of the document in which an object may have no property that its schema does not name. A part of an `allOf` stays open,
 * because another part may name the property.
 */
export function strict(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => strict(item, name));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === 'example' || key === 'examples' ? item : strict(item, key)]),
  );
  const part = value as Json;
  const closed = (part.properties !== undefined && name !== 'allOf') || part.allOf !== undefined;
  return closed && !('additionalProperties' in part) ? { ...copy, unevaluatedProperties: false } : copy;
}
