/** Returns the category of a stream: its name up to the first hyphen. */
export function categoryOf(stream: string): string {
  const end = stream.indexOf('-');
  return end < 0 ? stream : stream.slice(0, end);
}
