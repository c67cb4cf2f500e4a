import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedLines } from './refused-lines.js';

describe('the list of refused lines', () => {
  let folder: string;
  let printed: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'refused-lines-'));
    printed = [];
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      printed.push(String(text));
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('is a file, whose first lines are printed at the end', () => {
    const path = join(folder, 'refused.jsonl');
    const lines = new RefusedLines(path, false);
    lines.add(3, 'It is not valid JSON.');
    expect(printed).toStrictEqual([]);
    lines.close();
    expect(readFileSync(path, 'utf8')).toBe('{"line":3,"reason":"It is not valid JSON."}\n');
    expect(printed).toStrictEqual(['line 3: It is not valid JSON.\n', `All 1 refused lines are in ${path}\n`]);
  });

  it.each([
    ['in a folder that does not exist', (path: string) => join(path, 'missing', 'refused.jsonl'), 'ENOENT'],
    ['that is a folder', (path: string) => path, 'EISDIR'],
    ['on a full disk', () => '/dev/full', 'ENOSPC'],
  ])('is printed and says why, if its file is one %s, and stops no import', (_where, pathIn, code) => {
    const lines = new RefusedLines(pathIn(folder), false);
    lines.add(1, 'first');
    lines.add(2, 'second');
    expect(printed[0]).toContain(code);
    expect(printed[0]).toContain('--refused');
    expect(printed.slice(1)).toStrictEqual(['line 1: first\n', 'line 2: second\n']);
    expect(() => {
      lines.close();
    }).not.toThrow();
  });
});
