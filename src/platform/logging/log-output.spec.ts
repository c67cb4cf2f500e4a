import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pino } from 'pino';
import { droppedLogLines, LogOutput } from './log-output.js';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** A write takes so many bytes, or fails with the code. */
const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom('ENOSPC', 'EIO', 'EPIPE', 'EDQUOT')), { maxLength: 60 });

describe('the output of the log', () => {
  it('writes each line as it is or drops and counts it, whatever fails, and says how many are missing', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 30 }), (script, count) => {
        let written = '';
        let next = 0;
        const output = new LogOutput(2, (_fd, bytes, offset) => {
          const step = script[next] ?? bytes.length;
          next += 1;
          if (typeof step === 'string') throw failure(step);
          const part = bytes.subarray(offset, offset + step);
          written += part.toString();
          return part.length;
        });
        const before = droppedLogLines();
        const lines = Array.from({ length: count }, (_, index) => `{"line":${index}}`);
        for (const line of lines) output.write(`${line}\n`);
        const whole = written.split('\n').filter((line) => lines.includes(line));
        // Every line is there at most once, in order, and the others are counted.
        expect(whole).toEqual(lines.filter((line) => whole.includes(line)));
        // A line of which only the line feed is missing is counted, too.
        expect(droppedLogLines() - before).toBeGreaterThanOrEqual(count - whole.length);
      }),
    );
  });

  it('says how many lines are missing as soon as it can write again', () => {
    let isFull = true;
    const written: string[] = [];
    const output = new LogOutput(2, (_fd, bytes) => {
      if (isFull) throw failure('ENOSPC');
      written.push(bytes.toString());
      return bytes.length;
    });
    const logger = pino({}, output);
    for (let line = 0; line < 3; line += 1) logger.info('lost');
    isFull = false;
    logger.info('kept');
    expect(written.map((line) => JSON.parse(line) as object)).toMatchObject([
      { dropped: 3, msg: expect.stringContaining('3 lines of the log before this one could not be written (ENOSPC)') },
      { msg: 'kept' },
    ]);
  });

  it('waits for a reader that is busy', () => {
    let busy = 3;
    let written = '';
    const output = new LogOutput(2, (_fd, bytes) => {
      busy -= 1;
      if (busy > 0) throw failure('EAGAIN');
      written += bytes.toString();
      return bytes.length;
    });
    output.write('line\n');
    expect(written).toBe('line\n');
  });
});
