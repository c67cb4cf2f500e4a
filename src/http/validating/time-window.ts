const isDate = (text: string): boolean => text.length === 'yyyy-mm-dd'.length;

/** Returns the beginning (UTC) of a date, and a timestamp as it is. @param text ISO 8601 */
export function startOfDay(text: string | undefined): string | undefined {
  return text !== undefined && isDate(text) ? `${text}T00:00:00.000Z` : text;
}

/** Returns the last millisecond (UTC) of a date, and a timestamp as it is. @param text ISO 8601 */
export function endOfDay(text: string | undefined): string | undefined {
  return text !== undefined && isDate(text) ? `${text}T23:59:59.999Z` : text;
}
