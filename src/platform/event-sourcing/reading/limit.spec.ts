import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Limit } from './log-reader.js';

describe('a limit', () => {
  it('runs no more works at a time than it allows, all of them, in the order of their arrival, whatever fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(fc.boolean(), { maxLength: 30 }), async (max, outcomes) => {
        const limit = new Limit(max);
        const started: number[] = [];
        let [running, most] = [0, 0];
        const works = outcomes.map((succeeds, index) =>
          limit.run(async () => {
            started.push(index);
            running += 1;
            most = Math.max(most, running);
            await Promise.resolve();
            running -= 1;
            if (!succeeds) throw new Error('failed');
          }),
        );
        const settled = await Promise.allSettled(works);
        expect(settled.map(({ status }) => status === 'fulfilled')).toStrictEqual(outcomes);
        expect(started).toStrictEqual(outcomes.map((_, index) => index));
        expect(most).toBe(Math.min(max, outcomes.length));
      }),
    );
  });
});
