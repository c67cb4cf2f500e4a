import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { array, assert, nat, property } from 'fast-check';
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

  // A chunk has the same results each time, because it is sent with the same key.
  const CHUNKS = 2;
  const resultsOf = (chunk: number): object[] => [{ item: chunk }, { of: 'x'.repeat(chunk) }];
  const complete = Array.from({ length: CHUNKS }, (_, chunk) => resultsOf(chunk).map((result) => `${JSON.stringify(result)}\n`)).flat();

  /** A process on the output, step by step: it opens it, and then sends a chunk or writes its results. */
  function* process(): Generator<undefined, boolean> {
    const output = open();
    yield;
    try {
      while (output.chunks < CHUNKS) {
        output.sending();
        yield;
        output.write(resultsOf(output.chunks), 2 * (output.chunks + 1));
        yield;
      }
      output.done();
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      return false;
    } finally {
      output.close();
    }
  }

  it('has each result once, whichever processes work on it, and whenever they do or are killed', () => {
    assert(
      property(array(nat(3), { minLength: 8, maxLength: 24, size: 'max' }), (steps) => {
        const processes = new Map<number, Iterator<undefined, boolean>>();
        let isDone = false;
        for (const number of steps) {
          // The fourth number kills the first process, which another one with its number follows.
          if (number === 3) processes.delete(0);
          else {
            const running = processes.get(number) ?? process();
            const { done, value } = running.next();
            if (done) processes.delete(number);
            else processes.set(number, running);
            isDone ||= value === true;
          }
          // A run that was said to be complete keeps all results, whatever another process still does.
          if (isDone) expect(readFileSync(file, 'utf8')).toBe(complete.join(''));
        }
        for (const last of [process(), process()]) while (!last.next().done);
        expect(readFileSync(file, 'utf8')).toBe(complete.join(''));
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
      }),
      { numRuns: 60 },
    );
  });

  it('is continued by the process that began to send last, and the other says so', () => {
    const [first, second] = [open(), open()];
    sendOne(first);
    expect(() => {
      second.sending();
    }).toThrow(
      /state\.json was changed by another process, which continues this run\. This one has stopped; nothing is done or charged twice\.$/,
    );
    const third = open();
    third.sending();
    expect(() => {
      sendOne(first);
    }).toThrow(UsageError);
    third.write([{ rupa_id: 'rp-2' }], 2);
    expect(readFileSync(file, 'utf8')).toBe('{"rupa_id":"rp-1"}\n{"rupa_id":"rp-2"}\n');
    for (const output of [first, second, third]) output.close();
  });

  it('is removed if nobody has sent anything', () => {
    open().close();
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(folder)).toStrictEqual([]);
  });
});
