import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { open } from 'lmdb';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbFile } from './lmdb-file.js';
import { MAP_SIZE_BYTES } from './tables.js';

/** Up to ten pages, so that a value is sometimes in a leaf and sometimes in pages of its own. */
const bytes = fc.integer({ min: 0, max: 40_000 });
const change = fc.record({ key: fc.integer({ min: 0, max: 5 }), bytes: fc.option(bytes) });
const transactions = fc.array(fc.array(change, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 });

describe('a file that LMDB wrote', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lmdb-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Applies the changes, a list a transaction, and returns the values by key. */
  async function write(path: string, all: readonly (readonly { key: number; bytes: number | null }[])[]): Promise<Map<number, Buffer>> {
    const root = open({ path, maxDbs: 8, mapSize: MAP_SIZE_BYTES, overlappingSync: false, noSubdir: false });
    const table = root.openDB<Buffer, string>({ name: 'table', encoding: 'binary' });
    const values = new Map<number, Buffer>();
    for (const [number, changes] of all.entries()) {
      root.transactionSync(() => {
        for (const { key, bytes: size } of changes) {
          if (size === null) {
            table.removeSync(String(key));
            values.delete(key);
          } else {
            const value = Buffer.alloc(size, number + 1);
            table.putSync(String(key), value);
            values.set(key, value);
          }
        }
      });
    }
    await root.close();
    return values;
  }

  it('is read whole and found undamaged, whatever its transactions did', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(transactions, async (all) => {
        const path = join(folder, String((runs += 1)));
        const values = await write(path, all);
        const file = new LmdbFile(join(path, 'data.mdb'));
        const found: (Buffer | undefined)[] = [];
        file.entries('table', (_key, value) => found.push(value()));
        file.checkFreePages();
        file.close();
        const expected = [...values].sort(([one], [other]) => one - other).map(([, value]) => value);
        expect(found.map((value) => value?.toString('hex'))).toStrictEqual(expected.map((value) => value.toString('hex')));
      }),
      {
        numRuns: 50,
        examples: [
          [
            [
              [
                { key: 0, bytes: 20_296 },
                { key: 0, bytes: 12_712 },
              ],
            ],
          ],
        ],
      },
    );
  });
});
