const MAX_DEPTH = 32;
/** Beyond this an NGN amount is no exact number of kobo. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER / 100;

/** What no store could hold, by the path where it was found: refused at the door (decisions, "Checks"). */
export function unstorable(value: unknown, path = '', depth = 0): Record<string, string[]> {
  const name = path === '' ? 'body' : path;
  if (typeof value === 'string')
    return isStorableText(value) ? {} : { [name]: [`The ${spoken(name)} field must be well-formed text without NUL.`] };
  if (typeof value === 'number')
    return Math.abs(value) <= MAX_NUMBER ? {} : { [name]: [`The ${spoken(name)} field is too large a number.`] };
  if (typeof value !== 'object' || value === null) return {};
  if (depth >= MAX_DEPTH) return { [name]: [`The ${spoken(name)} field is nested deeper than ${MAX_DEPTH} levels.`] };
  const entries = Object.entries(value).map(([key, item]) => {
    const at = path === '' ? key : `${path}.${key}`;
    return isStorableText(key)
      ? unstorable(item, at, depth + 1)
      : { [name]: [`The ${spoken(name)} field has a key that is not well-formed text.`] };
  });
  return Object.assign({}, ...entries) as Record<string, string[]>;
}

/** A field's name as messages speak it. */
export function spoken(field: string): string {
  return field.replaceAll('_', ' ');
}

function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
