import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/unit/manual-clock.js';
import { type Counts, MINUTE_MS, NO_COUNTS, NO_LEVELS } from './domain/figures.js';
import { type Batch } from './domain/pending-figures.js';
import { FigureRecorder } from './figure-recorder.js';

const WRITER = { id: 'w1', roles: ['api'], host: 'h', pid: 1 };

/** A recorder on a table in memory, whose clock is three minutes ahead of the process'. */
function setUp({ levelsDue = false } = {}) {
  const clock = new ManualClock();
  const began = clock.now().getTime() + 3 * MINUTE_MS;
  const state = { lookups: 0, fails: false, hangs: false, left: false, levels: 0, pruned: 0 };
  const batches: Batch[] = [];
  const nowMs = (): number => began + clock.elapsedMs();
  const table = {
    record: async (_writer: unknown, batch: Batch) => {
      if (state.hangs) await new Promise(() => undefined);
      if (state.fails) throw new Error('gone');
      batches.push(batch);
      return { nowMs: nowMs(), levelsDue };
    },
    recordLevels: () => Promise.resolve(void (state.levels += 1)),
    leave: () => Promise.resolve(void (state.left = true)),
    prune: () => Promise.resolve(void (state.pruned += 1)),
  };
  const counts = (): Promise<Counts> => Promise.resolve({ ...NO_COUNTS, lookups: state.lookups });
  const recorder = new FigureRecorder({ table, clock, writer: WRITER, counts, levels: () => Promise.resolve(NO_LEVELS) });
  const written = (): [minute: number, lookups: number][] =>
    batches.flatMap(({ minutes }) =>
      minutes.map(({ minuteMs, counts: { lookups } }): [number, number] => [(minuteMs - began) / MINUTE_MS, lookups]),
    );
  return { clock, recorder, state, written, batches };
}

async function begin(recorder: FigureRecorder, clock: ManualClock): Promise<void> {
  recorder.start();
  await clock.advance(0);
}

describe('a recorder of figures', () => {
  it('writes what is counted every five seconds, by the minute of the database’s clock', async () => {
    const { clock, recorder, state, written } = setUp();
    await begin(recorder, clock);
    state.lookups = 3;
    await clock.advance(5_000);
    state.lookups = 4;
    await clock.advance(5_000);
    expect(written()).toStrictEqual([
      [0, 3],
      [0, 1],
    ]);
  });

  it('writes as a minute ends, so that its last seconds count in it', async () => {
    const { clock, recorder, state, written } = setUp();
    await begin(recorder, clock);
    await clock.advance(57_000);
    state.lookups = 2;
    await clock.advance(3_005);
    state.lookups = 7;
    await clock.advance(5_000);
    expect(written()).toStrictEqual([
      [0, 2],
      [1, 5],
    ]);
  });

  it('writes later what it could not write while the database did not respond', async () => {
    const { clock, recorder, state, written } = setUp();
    await begin(recorder, clock);
    state.fails = true;
    state.lookups = 3;
    for (let seconds = 0; seconds < 60; seconds += 5) await clock.advance(5_000);
    state.fails = false;
    state.lookups = 4;
    for (let seconds = 0; seconds < 15; seconds += 5) await clock.advance(5_000);
    expect(written().reduce((sum, [, lookups]) => sum + lookups, 0)).toBe(4);
    expect(written()[0]).toStrictEqual([0, 3]);
  });

  it('reads the levels if nobody has lately, and prunes once an hour', async () => {
    const { clock, recorder, state } = setUp({ levelsDue: true });
    await begin(recorder, clock);
    await clock.advance(5_000);
    expect([state.levels, state.pruned]).toStrictEqual([2, 1]);
    await clock.advance(3_600_000);
    expect(state.pruned).toBe(2);
  });

  it('writes the last counts when it stops, and says that it ends', async () => {
    const { clock, recorder, state, written } = setUp();
    await begin(recorder, clock);
    state.lookups = 6;
    await recorder.stop();
    expect([written(), state.left, clock.waiting]).toStrictEqual([[[0, 6]], true, 0]);
  });

  it('holds up a stop for a second at most', async () => {
    const { clock, recorder, state } = setUp();
    await begin(recorder, clock);
    state.hangs = true;
    const stopped = recorder.stop();
    await clock.advance(1_000);
    await stopped;
    expect(state.left).toBe(false);
  });

  it('that was never started has nothing to say at the end', async () => {
    const { recorder, state } = setUp();
    await recorder.onApplicationShutdown();
    expect(state.left).toBe(false);
  });
});
