const CONTINUED = 'ended_';

/** Returns the stream for what must be recorded of a stream that was ended for good (a tombstone), which accepts no event. */
export function continuationOf(stream: string): string {
  return CONTINUED + stream;
}

/** Returns the stream that this one continues; undefined if it continues none. */
export function continuedBy(stream: string): string | undefined {
  return stream.startsWith(CONTINUED) ? stream.slice(CONTINUED.length) : undefined;
}

/** Returns the category of a stream: its name up to the first hyphen. */
export function categoryOf(stream: string): string {
  const end = stream.indexOf('-');
  return end < 0 ? stream : stream.slice(0, end);
}
