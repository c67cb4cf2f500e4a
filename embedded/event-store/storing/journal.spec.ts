import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DamagedLog } from './damaged-log.js';
import { Journal } from './journal.js';
import { recordsIn as read } from './journal-file.js';

const BYTES = 4_096;
let folder: string;
let path: string;
let journal: Journal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, 'journal');
  journal = Journal.open(path, BYTES);
});

afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const recordsIn = (file: string): Buffer[] =>
  read(file, { isNew: (record) => record.toString().startsWith('new'), onTorn: () => undefined });
const records = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));
const texts = (): string[] => recordsIn(path).map((record) => record.toString());

describe('a journal', () => {
  it('is empty when it is new or missing', () => {
    expect(texts()).toEqual([]);
    expect(recordsIn(join(folder, 'none'))).toEqual([]);
  });

  it('returns all records in their order', () => {
    expect(journal.append(records('one', '', 'three'))).toBe(true);
    expect(journal.append(records('four'))).toBe(true);
    expect(texts()).toEqual(['one', '', 'three', 'four']);
  });

  it('refuses a commit that does not fit, and can be filled to the last byte', () => {
    journal.append(records('one'));
    const left = BYTES - 23 - 20;
    expect(journal.append([Buffer.alloc(left + 1)])).toBe(false);
    expect(texts()).toEqual(['one']);
    expect(journal.append([Buffer.alloc(left)])).toBe(true);
    expect(recordsIn(path)).toHaveLength(2);
    expect(journal.append([Buffer.alloc(0)])).toBe(false);
  });

  it('forgets the earlier round with the first entry of a new one, even if an old entry begins right behind it', () => {
    journal.append(records('old 1'));
    journal.append(records('old 2'));
    journal.restart();
    expect(texts()).toEqual(['old 1', 'old 2']);
    journal.append(records('new 1'));
    expect(texts()).toEqual(['new 1']);
  });

  it('ignores bytes inside a record that look like an entry', () => {
    journal.append(records('an entry'));
    const entry = readFileSync(path).subarray(0, 28);
    journal.restart();
    journal.append([Buffer.concat([Buffer.alloc(100), entry])]);
    journal.restart();
    journal.append([Buffer.alloc(100)]);
    expect(recordsIn(path)).toEqual([Buffer.alloc(100)]);
  });

  it('returns only whole commits from the beginning, however the bytes after some offset are damaged', () => {
    const commits = fc.array(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(commits, fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom('zeroed', 'cut', 'garbled'), (all, share, how) => {
        journal.restart();
        journal.append([Buffer.alloc(BYTES - 20)]);
        journal.restart();
        let end = 0;
        const entries = all.map((commit) => {
          journal.append(commit.map((each) => Buffer.from(each)));
          const from = end;
          end += commit.reduce((sum, { length }) => sum + 4 + length, 16);
          return { from, end };
        });
        const file = readFileSync(path);
        const at = Math.floor(end * share);
        const behind =
          how === 'garbled' ? Buffer.from(file.subarray(at).map((byte) => byte ^ 0x55)) : Buffer.alloc(how === 'cut' ? 0 : BYTES - at);
        const damaged = Buffer.concat([file.subarray(0, at), behind]);
        writeFileSync(path, damaged);
        if (how === 'cut') {
          expect(texts).toThrow(DamagedLog);
          writeFileSync(path, file);
          return;
        }
        // Zeroing bytes that are zero damages no entry.
        const first = entries.findIndex((entry) => !damaged.subarray(entry.from, entry.end).equals(file.subarray(entry.from, entry.end)));
        expect(recordsIn(path)).toEqual(
          all
            .slice(0, first < 0 ? all.length : first)
            .flat()
            .map((each) => Buffer.from(each)),
        );
        writeFileSync(path, file);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses to read on if a byte before its last entry has changed, and reports a change in the last one', () => {
    const commits = fc.array(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });
    const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const size = (commit: readonly { length: number }[]): number => commit.reduce((sum, { length }) => sum + 4 + length, 16);
    fc.assert(
      fc.property(commits, share, fc.integer({ min: 1, max: 255 }), (all, where, flip) => {
        journal.restart();
        for (const commit of all) journal.append(commit.map((each) => Buffer.from(each)));
        const last = size(all.at(-1) ?? []);
        const end = all.reduce((sum, commit) => sum + size(commit), 0);
        const file = readFileSync(path);
        const damaged = Buffer.from(file);
        const at = Math.floor(end * where);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        writeFileSync(path, damaged);
        const found = (): Buffer[] => read(path, { isNew: () => true, onTorn: () => undefined });
        if (at < end - last) expect(found).toThrow(DamagedLog);
        else
          expect(found()).toEqual(
            all
              .slice(0, -1)
              .flat()
              .map((each) => Buffer.from(each)),
          );
        // An entry of an earlier round behind this one is in the tables.
        journal.erase();
      }),
      { numRuns: 100 },
    );
  });
});
