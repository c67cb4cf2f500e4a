import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WantedPositions, WantedSender } from './wanted-positions.js';

describe('the positions that readers wait for', () => {
  it('are sent one statement at a time, the highest of those that came meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.bigInt({ min: 0n, max: 50n }), { minLength: 1 }), { minLength: 1 }), async (rounds) => {
        const sent: bigint[] = [];
        let answer: (() => void) | undefined;
        const sender = new WantedSender((position) => {
          expect(answer).toBeUndefined();
          sent.push(position);
          return new Promise((resolve) => {
            answer = () => {
              answer = undefined;
              resolve();
            };
          });
        });
        const expected: bigint[] = [];
        for (const [index, round] of rounds.entries()) {
          for (const position of round) sender.want(position);
          const [first = 0n, ...rest] = round;
          // Nothing is under way in the first round, so that its first position is sent at once.
          const meanwhile = index === 0 ? rest : round;
          if (index === 0) expected.push(first);
          answer?.();
          await new Promise(setImmediate);
          if (meanwhile.length > 0) expected.push(meanwhile.reduce((a, b) => (a > b ? a : b)));
          else break;
        }
        answer?.();
        expect(sent).toStrictEqual(expected);
      }),
    );
  });

  it('are sent again after a failure', async () => {
    const sent: bigint[] = [];
    const sender = new WantedSender((position) => {
      sent.push(position);
      return sent.length === 1 ? Promise.reject(new Error('gone')) : Promise.resolve();
    });
    sender.want(3n);
    await new Promise(setImmediate);
    sender.want(3n);
    await new Promise(setImmediate);
    expect(sent).toStrictEqual([3n, 3n]);
  });

  it('rise to the highest that was heard, and each rise is told', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 100n })), (heard) => {
        const wanted = new WantedPositions();
        const told: bigint[] = [];
        const ignore = wanted.onHigher(() => told.push(wanted.upTo));
        for (const position of heard) wanted.heard(String(position));
        const rises = heard.filter((position, index) => heard.slice(0, index).every((earlier) => earlier < position));
        expect(told).toStrictEqual(rises);
        expect(wanted.upTo).toBe(rises.at(-1) ?? -1n);
        ignore();
        wanted.heard('101');
        expect(told).toStrictEqual(rises);
      }),
    );
  });

  it.each([undefined, '', '-1', '1.5', 'x', '9'.repeat(40)])('pass over a notification that names none (%s)', (payload) => {
    const wanted = new WantedPositions();
    wanted.heard(payload);
    expect(wanted.upTo).toBe(-1n);
  });
});
