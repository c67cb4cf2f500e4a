import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Call } from '../../tracing/request-context.js';
import { Shares } from './shares.js';

const NEVER_MS = 60_000;
const CALLERS = ['a', 'b', 'c'];

/** A step of a random history: a caller asks for a share, or one of the shares that are held goes back, or a waiting call ends. */
type Step = { readonly take: string } | { readonly giveBack: number } | { readonly end: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ take: fc.constantFrom(...CALLERS) }),
  fc.record({ giveBack: fc.nat() }),
  fc.record({ end: fc.nat() }),
);

interface Asked {
  readonly caller: string;
  readonly call: Call;
  state: 'waiting' | 'held' | 'ended';
  giveBack?: () => void;
}

/** Lets everything that is already decided reach the callers that wait for it. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the shares of callers', () => {
  const ask = (shares: Shares, caller: string): Asked => {
    const asked: Asked = { caller, call: new Call(caller), state: 'waiting' };
    shares.take(caller, asked.call).then(
      (giveBack) => {
        Object.assign(asked, { state: 'held', giveBack });
      },
      () => {
        asked.state = 'ended';
      },
    );
    return asked;
  };

  it('are never more than there are, nor more than a caller may have, and none is idle while a call may take it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const [total, perCaller] = [3, 2];
        const shares = new Shares(total, perCaller, NEVER_MS);
        const all: Asked[] = [];
        const those = (state: Asked['state'], caller?: string): Asked[] =>
          all.filter((each) => each.state === state && (caller === undefined || each.caller === caller));
        for (const next of steps) {
          if ('take' in next) all.push(ask(shares, next.take));
          else if ('giveBack' in next) {
            const held = those('held').at(next.giveBack % Math.max(those('held').length, 1));
            held?.giveBack?.();
            if (held) held.state = 'ended';
          } else
            those('waiting')
              .at(next.end % Math.max(those('waiting').length, 1))
              ?.call.end();
          await settled();
          expect(those('held').length).toBeLessThanOrEqual(total);
          for (const caller of CALLERS) {
            expect(those('held', caller).length).toBeLessThanOrEqual(perCaller);
            if (those('waiting', caller).length > 0)
              expect(those('held').length === total || those('held', caller).length === perCaller).toBe(true);
          }
        }
        for (const { call } of those('waiting')) call.end();
      }),
    );
  });

  it('go to waiting callers in turn, however many calls one of them has', async () => {
    const shares = new Shares(1, 1, NEVER_MS);
    const first = ask(shares, 'a');
    const asked = ['a', 'a', 'a', 'b', 'c'].map((caller) => ask(shares, caller));
    await settled();
    const order: string[] = [];
    for (let held: Asked | undefined = first; held; held = asked.find(({ state }) => state === 'held')) {
      held.giveBack?.();
      held.state = 'ended';
      order.push(held.caller);
      await settled();
    }
    expect(order).toStrictEqual(['a', 'a', 'b', 'c', 'a', 'a']);
  });

  it('are not given to a call that has ended', async () => {
    const shares = new Shares(1, 1, NEVER_MS);
    const call = new Call('a');
    call.end();
    await expect(shares.take('a', call)).rejects.toThrow('The call has ended.');
    await expect(shares.take('a')).resolves.toBeInstanceOf(Function);
  });

  it('are refused after the time limit, like the connections of a pool that stays in use', async () => {
    const shares = new Shares(1, 1, 1);
    await shares.take('a');
    await expect(shares.take('b')).rejects.toThrow('timeout exceeded when trying to connect');
  });
});
