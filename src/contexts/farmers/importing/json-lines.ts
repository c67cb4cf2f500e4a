import { isUtf8 } from 'node:buffer';

/** A line that cannot be read, with the reason. */
export class UnreadableLine {
  constructor(readonly reason: string) {}
}

/** Maximum bytes of a line: the body limit of PUT /farmers, plus room for the id. */
export const LINE_BYTES_MAX = 128 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Yields the lines of a JSON Lines file. Only a line feed ends a line: `readline` also ends lines at U+2028 and U+2029, which JSON allows
 * inside a string. At most one line is buffered, and a line that is too long is not buffered.
 */
export async function* jsonLines(input: AsyncIterable<Buffer>): AsyncGenerator<string | UnreadableLine, void, undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isFirst = true;
  const append = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > LINE_BYTES_MAX) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const endLine = (): string | UnreadableLine => {
    const line =
      bytes > LINE_BYTES_MAX
        ? new UnreadableLine(`It is longer than ${LINE_BYTES_MAX / 1024} KiB.`)
        : textOf(Buffer.concat(parts), isFirst);
    parts = [];
    bytes = 0;
    isFirst = false;
    return line;
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      append(chunk.subarray(start, end));
      yield endLine();
      start = end + 1;
    }
    append(chunk.subarray(start));
  }
  if (bytes > 0) yield endLine();
}

function textOf(line: Buffer, isFirst: boolean): string | UnreadableLine {
  const start = isFirst && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  const bytes = line.subarray(start, end);
  // Decoding invalid UTF-8 would silently store replacement characters in place of the original text.
  return isUtf8(bytes) ? bytes.toString('utf8') : new UnreadableLine('It is not valid UTF-8.');
}
