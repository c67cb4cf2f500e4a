import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Readable } from 'node:stream';
import { NotUtf8, textIn, textOf } from './utf8.js';

const fragments = fc.oneof(
  fc.uint8Array({ maxLength: 4 }),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.constant([0xef, 0xbf, 0xbd]),
);
const bytes = fc.array(fragments).map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))));

describe('text of bytes', () => {
  it('is the same bytes in UTF-8, or the first wrong byte is named', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        const reference = new TextDecoder('utf-8', { fatal: true });
        try {
          expect(textOf(input)).toBe(reference.decode(input));
        } catch (error) {
          if (!(error instanceof NotUtf8)) throw error;
          const { offset } = error;
          // Everything before it is text, and no continuation makes it text.
          expect(Buffer.from(input.toString('utf8', 0, offset)).equals(input.subarray(0, offset))).toBe(true);
          expect(() => reference.decode(input)).toThrow();
          expect(error.message).toContain(`byte ${offset + 1} is 0x`);
        }
      }),
    );
  });

  it('is read from all chunks of a stream, also where they divide a character', async () => {
    const text = 'ọ̀rẹ́ ₦ 𝄞';
    const chunks = Array.from(Buffer.from(text), (byte) => Buffer.of(byte));
    expect(await textIn(Readable.from(chunks))).toBe(text);
  });
});
