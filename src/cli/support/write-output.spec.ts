import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOutput } from './write-output.js';

describe('a file that a command writes', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'write-output-'));
    file = join(folder, 'evidence.jsonl');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('stays as it was, and nothing is left beside it, after a %s', async (signal) => {
    writeFileSync(file, 'earlier');
    async function* endless(): AsyncGenerator<string> {
      for (let piece = 0; ; piece += 1) {
        if (piece === 3) process.emit(signal);
        yield await Promise.resolve('line\n');
      }
    }
    await expect(writeOutput(file, endless())).rejects.toThrow(`Stopped. ${file} was not written; run the same command again.`);
    expect(readdirSync(folder)).toStrictEqual(['evidence.jsonl']);
    expect(readFileSync(file, 'utf8')).toBe('earlier');
    expect(process.listenerCount(signal)).toBe(0);
  });

  async function* pieces(): AsyncGenerator<string> {
    yield await Promise.resolve('one\n');
    yield await Promise.resolve('two\n');
  }

  it('is not written through a link that somebody else has placed beside it', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, 'of somebody else');
    const link = `${file}.${process.pid}.tmp`;
    symlinkSync(other, link);
    await writeOutput(file, pieces());
    expect([readFileSync(other, 'utf8'), readlinkSync(link), lstatSync(file).isFile()]).toStrictEqual(['of somebody else', other, true]);
  });

  it('has every piece once it is written', async () => {
    await expect(writeOutput(file, pieces())).resolves.toBe(true);
    expect(readdirSync(folder)).toStrictEqual(['evidence.jsonl']);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });
});
