type Json = Record<string, unknown>;

/**
 * What the document says, read as strictly as can be: an object may have no property that its schema does not name. What one part of an
 * `allOf` does not name, the whole may.
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
