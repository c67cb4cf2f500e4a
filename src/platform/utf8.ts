import { isUtf8 } from 'node:buffer';
import { type Readable } from 'node:stream';

/** Lenient decoders replace bytes that are not UTF-8 by this character. */
export const REPLACEMENT = '\ufffd';
const ENCODED_REPLACEMENT = Buffer.from(REPLACEMENT);

/** Bytes that should be text are not UTF-8. The message says where, and quotes no other byte. */
export class NotUtf8 extends Error {
  override name = 'NotUtf8';

  constructor(
    /** Index of the first byte that is wrong. */
    readonly offset: number,
    byte: number,
  ) {
    super(`it is not UTF-8: byte ${offset + 1} is 0x${byte.toString(16).padStart(2, '0')}, which cannot stand there`);
  }
}

/**
 * Returns the text of UTF-8, without a byte order mark. A lenient decoder would turn every wrong byte into the same character, so that
 * different texts become equal. @throws NotUtf8
 */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) {
    const offset = firstWrongByte(bytes);
    throw new NotUtf8(offset, bytes[offset] ?? 0);
  }
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Reads a stream to its end, as {@link textOf}. @throws NotUtf8 */
export async function textIn(input: Readable): Promise<string> {
  return textOf(await bytesIn(input));
}

export async function bytesIn(input: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}

/** Finds the first replacement character that the bytes themselves do not contain. @param bytes bytes that are not UTF-8 */
function firstWrongByte(bytes: Buffer): number {
  let offset = 0;
  for (const part of bytes.toString('utf8').split(REPLACEMENT)) {
    offset += Buffer.byteLength(part);
    if (!bytes.subarray(offset, offset + ENCODED_REPLACEMENT.length).equals(ENCODED_REPLACEMENT)) return offset;
    offset += ENCODED_REPLACEMENT.length;
  }
  throw new Error('The bytes are UTF-8.');
}

/** Returns whether the text of a query or a form is percent-encoded UTF-8. */
export function isPercentEncodedUtf8(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
