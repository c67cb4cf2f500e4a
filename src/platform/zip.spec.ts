import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { zipOf, type ZippedFile } from './zip.js';

const AT = '2026-04-01T00:12:30.000Z';

async function* inTurn(files: readonly ZippedFile[], onTaken: () => void = () => undefined): AsyncGenerator<ZippedFile> {
  for (const file of files) {
    onTaken();
    yield await Promise.resolve(file);
  }
}

async function zipped(files: readonly ZippedFile[], at = AT): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(zipOf(inTurn(files), at)));
}

describe('a ZIP', () => {
  it('has the files under their names, whatever their content', async () => {
    const content = fc.uint8Array({ maxLength: 100_000 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 5 }), async (contents) => {
        const files = contents.map((bytes, index) => ({ name: `Ọ̀ṣun ${index}.pdf`, bytes }));
        const found = Object.entries(unzipSync(await zipped(files))).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes) }));
        expect(found).toStrictEqual(files);
      }),
      { numRuns: 20 },
    );
  });

  it('has the same bytes for the same files and time', async () => {
    const files = [{ name: 'a', bytes: Buffer.from('one') }];
    expect(await zipped(files)).toStrictEqual(await zipped(files));
    expect(await zipped(files)).not.toStrictEqual(await zipped(files, '2026-04-02T00:12:30.000Z'));
  });

  it('takes a file only once the one before was taken', async () => {
    let taken = 0;
    const files = ['a', 'b', 'c'].map((name) => ({ name, bytes: Buffer.alloc(1024 * 1024) }));
    const zip = zipOf(
      inTurn(files, () => (taken += 1)),
      AT,
    );
    await zip.next();
    expect(taken).toBe(1);
    let bytes = 0;
    for await (const piece of zip) {
      bytes += piece.length;
      expect(bytes).toBeGreaterThan((taken - 1) * 1024 * 1024 - 1024);
    }
    expect(taken).toBe(3);
  });

  it('writes its times as UTC, wherever it is made', async () => {
    // The DOS time of the first local header: two seconds, minutes, hours.
    expect((await zipped([{ name: 'a', bytes: Buffer.alloc(0) }])).readUInt16LE(10)).toBe((0 << 11) | (12 << 5) | 15);
  });
});
