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
  it('end with a line feed, with or without a carriage return before it, and the last one with the file', async () => {
    expect(await linesOf('{"a":1}\r\n{"b":2}\n\n{"c":3}')).toStrictEqual(['{"a":1}', '{"b":2}', '', '{"c":3}']);
    expect(await linesOf('{"a":1}\n')).toStrictEqual(['{"a":1}']);
    expect(await linesOf()).toStrictEqual([]);
  });

  it.each(['\u2028', '\u2029', '\u0085', '\v', '\f', '\r'])('do not end with %j, which may stand in a string', async (separator) => {
    expect(await linesOf(`{"a":"x${separator}y"}\n{}`)).toStrictEqual([`{"a":"x${separator}y"}`, '{}']);
  });

  it('lose a byte-order mark at the very beginning, and none elsewhere', async () => {
    expect(await linesOf('\ufeff{}\n\ufeff{}')).toStrictEqual(['{}', '\ufeff{}']);
  });

  it('that are too long are refused alone, and nothing of them is kept', async () => {
    const [first, long, last] = await linesOf('{}\n', ...Array.from({ length: 40 }, () => 'x'.repeat(LINE_BYTES_MAX / 8)), '\n[]\n');
    expect([first, long, last]).toStrictEqual(['{}', new UnreadableLine('It is longer than 128 KiB.'), '[]']);
    expect(await linesOf('x'.repeat(LINE_BYTES_MAX))).toStrictEqual(['x'.repeat(LINE_BYTES_MAX)]);
  });

  it('that are no UTF-8 are refused alone', async () => {
    expect(await linesOf(Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), '{}')).toStrictEqual([new UnreadableLine('It is not valid UTF-8.'), '{}']);
  });

  it('are the same however the file comes in', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => JSON.stringify({ text }));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1 }), fc.array(fc.nat(), { maxLength: 8 }), async (lines, cuts) => {
        const bytes = Buffer.from(lines.join('\n'));
        const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((one, other) => one - other), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(await linesOf(...chunks)).toStrictEqual(lines);
      }),
    );
  });
});
