import { describe, expect, it } from '@jest/globals';
import { rounds } from '../support/length.js';
import { runHistory } from './history.js';

/** `SIM_RUNS=100000` runs more histories, `SIM_FIRST` sets the first seed, and `SIM_SEED=<seed>` runs one history again. */
const RUNS = rounds('SIM_RUNS', { short: 150, long: 3_000 });
const FIRST = Number(process.env.SIM_FIRST ?? 1);
const { SIM_SEED } = process.env;

describe('every simulated history of failures', () => {
  it('conserves money, bills each lookup at most once and closes every charge', async () => {
    const seeds = SIM_SEED === undefined ? Array.from({ length: RUNS }, (_, index) => FIRST + index) : [Number(SIM_SEED)];
    for (const seed of seeds) {
      const { faults, lines } = await runHistory(seed);
      if (faults.length > 0)
        throw new Error(
          [`An invariant is broken with SIM_SEED=${seed}:`, ...faults, '', 'The history, with times in ms:', ...lines].join('\n'),
        );
    }
  }, 3_600_000);

  it('is the same for the same seed', async () => {
    for (const seed of [1, 2, 3, 4, 5]) expect(await runHistory(seed)).toStrictEqual(await runHistory(seed));
  });
});
