import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonLines, LINE_BYTES_MAX, UnreadableLine } from './json-lines.js';

async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<(string | UnreadableLine)[]> {
  async function* input(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk as string));
  }
  const lines: (string | UnreadableLine)[] = [];
  for await (const line of jsonLines(input())) lines.push(line);
  return lines;
}

describe('JSON lines', () => {
  it('end at a line feed, at a carriage return and line feed, or at the end of the file', async () => {
    expect(await linesOf('{"a":1}\r\n{"b":2}\n\n{"c":3}')).toStrictEqual(['{"a":1}', '{"b":2}', '', '{"c":3}']);
    expect(await linesOf('{"a":1}\n')).toStrictEqual(['{"a":1}']);
    expect(await linesOf()).toStrictEqual([]);
  });

  it.each(['\u2028', '\u2029', '\u0085', '\v', '\f', '\r'])('do not end at %j, which a JSON string may contain', async (separator) => {
    expect(await linesOf(`{"a":"x${separator}y"}\n{}`)).toStrictEqual([`{"a":"x${separator}y"}`, '{}']);
  });

  it('lose a byte-order mark at the start of the file only', async () => {
    expect(await linesOf('\ufeff{}\n\ufeff{}')).toStrictEqual(['{}', '\ufeff{}']);
  });

  it('are replaced by an error when they are too long, and the next line is read', async () => {
    const [first, long, last] = await linesOf('{}\n', ...Array.from({ length: 40 }, () => 'x'.repeat(LINE_BYTES_MAX / 8)), '\n[]\n');
    expect([first, long, last]).toStrictEqual(['{}', new UnreadableLine('It is longer than 128 KiB.'), '[]']);
    expect(await linesOf('x'.repeat(LINE_BYTES_MAX))).toStrictEqual(['x'.repeat(LINE_BYTES_MAX)]);
  });

  it('are replaced by an error when they are not UTF-8, and the next line is read', async () => {
    expect(await linesOf(Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), '{}')).toStrictEqual([new UnreadableLine('It is not valid UTF-8.'), '{}']);
  });

  it('do not depend on how the file is split into chunks', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => JSON.stringify({ text }));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1 }), fc.array(fc.nat(), { maxLength: 8 }), async (lines, cuts) => {
        const bytes = Buffer.from(lines.join('\n'));
        const offsets = [0, ...cuts.map((cut) => cut % bytes.length).sort((one, other) => one - other), bytes.length];
        const chunks = offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
        expect(await linesOf(...chunks)).toStrictEqual(lines);
      }),
    );
  });
});
