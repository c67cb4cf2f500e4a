const MAX_DEPTH = 32;
/** The largest NGN amount that is an exact number of kobo. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER / 100;

/** Finds values that the stores cannot represent, and returns validation messages by path (decisions, "Checks"). */
export function unstorable(value: unknown, path = '', depth = 0): Record<string, string[]> {
  const name = path === '' ? 'body' : path;
  if (typeof value === 'string')
    return isStorableText(value) ? {} : { [name]: [`The ${inWords(name)} field must be well-formed text without NUL.`] };
  if (typeof value === 'number')
    return Math.abs(value) <= MAX_NUMBER ? {} : { [name]: [`The ${inWords(name)} field is too large a number.`] };
  if (typeof value !== 'object' || value === null) return {};
  if (depth >= MAX_DEPTH) return { [name]: [`The ${inWords(name)} field is nested deeper than ${MAX_DEPTH} levels.`] };
  const entries = Object.entries(value).map(([key, item]) => {
    const at = path === '' ? key : `${path}.${key}`;
    return isStorableText(key)
      ? unstorable(item, at, depth + 1)
      : { [name]: [`The ${inWords(name)} field has a key that is not well-formed text.`] };
  });
  return Object.assign({}, ...entries) as Record<string, string[]>;
}

/** Returns the name of a field as error messages write it. */
export function inWords(field: string): string {
  return field.replaceAll('_', ' ');
}

/** Returns whether the stores can represent the text as it is. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
