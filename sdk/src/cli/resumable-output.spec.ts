import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResumableOutput } from './resumable-output.js';
import { UsageError } from './terminal.js';

describe('the output of a run', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rupa-output-'));
    file = join(folder, 'results.jsonl');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (): ResumableOutput => ResumableOutput.open(file, 'one', false);
  const openFails = (message: RegExp): void => {
    expect(open).toThrow(UsageError);
    expect(open).toThrow(message);
  };
  const sendOne = (output: ResumableOutput): void => {
    output.sending();
    output.write([{ rupa_id: 'rp-1' }], 1);
  };

  it.each<[string, boolean, () => void]>([
    [
      'was removed',
      false,
      () => {
        rmSync(file);
      },
    ],
    [
      'was removed after the end',
      true,
      () => {
        rmSync(file);
      },
    ],
    [
      'was cut off',
      false,
      () => {
        truncateSync(file, 5);
      },
    ],
  ])('is not continued, nor written to, if it %s, because it lacks results', (_, isDone, damage) => {
    const output = open();
    sendOne(output);
    if (isDone) output.done();
    output.close();
    damage();
    const left = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
    openFails(/results\.jsonl is missing, or lacks results of the 1 items that .*results\.jsonl\.state\.json says are done\. Put it back/);
    expect(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])).toStrictEqual(left);
  });

  it('is not continued with a state that is none', () => {
    writeFileSync(`${file}.state.json`, '{"run_id":');
    openFails(/results\.jsonl\.state\.json cannot be read \(.+\)\. Put it back/);
  });

  it('stays if another process that opened it sent something meanwhile', () => {
    const [one, asking] = [open(), open()];
    expect(asking.runId).toBe(one.runId);
    sendOne(one);
    asking.close();
    one.close();
    expect(readFileSync(file, 'utf8')).toBe('{"rupa_id":"rp-1"}\n');
    expect(open().chunks).toBe(1);
  });

  it('is removed if nobody has sent anything', () => {
    open().close();
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(folder)).toStrictEqual([]);
  });
});
