import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Fields, MalformedMessage } from './protobuf.js';

function all(message: Buffer): { number: number; start: number; end: number }[] {
  const found = [];
  for (const fields = new Fields(message); fields.next();) found.push({ number: fields.number, start: fields.start, end: fields.end });
  return found;
}

describe('the fields of a protobuf message', () => {
  it('are within the message and do not overlap, or the message is refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (array) => {
        try {
          const found = all(Buffer.from(array));
          expect(found.every(({ start, end }, index) => start >= (found[index - 1]?.end ?? 0) && end >= start && end <= array.length)).toBe(
            true,
          );
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a varint without an end', [0x08, 0x80]],
    ['a varint of eleven bytes', [0x08, ...Array<number>(10).fill(0x80), 0x01]],
    ['a field that is longer than the message', [0x0a, 0x05, 0x00]],
    ['an unknown wire type', [0x0b]],
    ['a field number that is too large', [0x80, 0x80, 0x80, 0x80, 0x10]],
  ])('are refused if they contain %s', (_what, bytes) => {
    expect(() => all(Buffer.from(bytes))).toThrow(MalformedMessage);
  });

  it('hold varints of up to 64 bits', () => {
    const fields = new Fields(Buffer.from([0x08, ...Array<number>(9).fill(0xff), 0x01]));
    expect([fields.next(), fields.exact()]).toStrictEqual([true, 2n ** 64n - 1n]);
  });

  it('are looked up by number, of which the last one counts', () => {
    const [first, second, other] = [
      [0x0a, 1, 0x61],
      [0x0a, 1, 0x62],
      [0x12, 1, 0x63],
    ];
    expect(new Fields(Buffer.from([...first, ...second, ...other])).lastText(1)).toBe('b');
    expect(new Fields(Buffer.from(other)).lastBytes(1)).toHaveLength(0);
  });
});
