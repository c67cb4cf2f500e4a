import { isUtf8 } from 'node:buffer';

/** A line that cannot be read, and why. */
export class UnreadableLine {
  constructor(readonly reason: string) {}
}

/** What PUT takes as a body, and room for the id. */
export const LINE_BYTES_MAX = 128 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * The lines of a file of JSON lines. They end with a line feed and with nothing else: `readline` also takes U+2028 and U+2029 for ends,
 * which JSON allows inside a string. No more than a line is held, and of one that is too long nothing.
 */
export async function* jsonLines(input: AsyncIterable<Buffer>): AsyncGenerator<string | UnreadableLine, void, undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isFirst = true;
  const take = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > LINE_BYTES_MAX) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const finish = (): string | UnreadableLine => {
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
      take(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    take(chunk.subarray(start));
  }
  if (bytes > 0) yield finish();
}

function textOf(line: Buffer, isFirst: boolean): string | UnreadableLine {
  const start = isFirst && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  const bytes = line.subarray(start, end);
  // Replacement characters in place of what was meant would be stored as if they had been.
  return isUtf8(bytes) ? bytes.toString('utf8') : new UnreadableLine('It is not valid UTF-8.');
}
