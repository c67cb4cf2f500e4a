import { describe, expect, it } from '@jest/globals';
import { type Queries, shareSessions } from './refuse-unfit-pooler.js';

/** The rules by which a pooler gives sessions to connections. */
interface Pool {
  /** Whether a connection keeps its session until it ends, until its transaction ends, or until its statement ends. */
  readonly mode: 'session' | 'transaction' | 'statement';
  /** Whether the free session that was used last, or the one that was free for the longest time, is given out first. */
  readonly order: 'last' | 'first';
  readonly sessions: number;
}

/**
 * A pooler of sessions, which other programs use meanwhile.
 * @param disturb called before each statement with the free sessions, which it may reorder as the statements of other programs would
 */
function pooler({ mode, order, sessions }: Pool, disturb: (free: number[]) => void): { connect: () => Queries } {
  const free = Array.from({ length: sessions }, (_, index) => index + 1);
  const take = (): number => {
    const session = order === 'last' ? free.pop() : free.shift();
    if (session === undefined) throw new Error('This statement would wait for a session.');
    return session;
  };
  return {
    connect: () => {
      let held: number | undefined;
      const query = (text: string): number => {
        if (text === 'begin' && mode === 'statement') throw Object.assign(new Error('no transactions'), { code: '08P01' });
        disturb(free);
        const session = held ?? take();
        held = mode === 'session' || (text !== 'rollback' && (held !== undefined || text === 'begin')) ? session : undefined;
        if (held === undefined) free.push(session);
        return session;
      };
      return { query: (text) => Promise.resolve().then(() => ({ rows: [{ pid: query(text) }] })) };
    },
  };
}

const shared = (pool: Pool, disturb: (free: number[]) => void = () => undefined): Promise<boolean> => {
  const { connect } = pooler(pool, disturb);
  return shareSessions(connect(), connect());
};
/** Exchanges free sessions at random, by a generator that repeats itself. */
const traffic = (seed: number): ((free: number[]) => void) => {
  let state = seed;
  return (free) => {
    for (let index = free.length - 1; index > 0; index -= 1) {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      const other = Math.floor((state / 2_147_483_648) * (index + 1));
      [free[index], free[other]] = [free[other] ?? 0, free[index] ?? 0];
    }
  };
};

describe('two connections', () => {
  const pools = (['last', 'first'] as const).flatMap((order) => [1, 2, 3, 20].map((sessions) => ({ order, sessions })));

  it.each(pools)('share sessions of a pooler by transaction or statement: %o', async (pool) => {
    for (const mode of ['transaction', 'statement'] as const) expect(await shared({ mode, ...pool })).toBe(true);
  });

  it.each(pools)('share sessions also while other programs take and return some: %o', async (pool) => {
    for (let seed = 1; seed <= 500; seed += 1) expect(await shared({ mode: 'transaction', ...pool }, traffic(seed))).toBe(true);
  });

  it.each(pools.filter(({ sessions }) => sessions > 1))('have sessions of their own with a pooler by session: %o', async (pool) => {
    expect(await shared({ mode: 'session', ...pool }, traffic(1))).toBe(false);
  });
});
