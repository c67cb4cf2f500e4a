import { describe, expect, it } from '@jest/globals';
import { rounds } from '../support/length.js';
import { runHistory } from './history.js';

/** `SIM_RUNS=100000` for more histories, `SIM_SEED=<seed>` for one of them again, `SIM_FIRST` for other ones. */
const RUNS = rounds('SIM_RUNS', { short: 300, long: 3_000 });
const FIRST = Number(process.env.SIM_FIRST ?? 1);
const { SIM_SEED } = process.env;

describe('every history, whatever breaks in it', () => {
  it('conserves money, bills each answer once and ends every charge', async () => {
    const seeds = SIM_SEED === undefined ? Array.from({ length: RUNS }, (_, index) => FIRST + index) : [Number(SIM_SEED)];
    for (const seed of seeds) {
      const { faults, lines } = await runHistory(seed);
      if (faults.length > 0) throw new Error([`Broken by SIM_SEED=${seed}:`, ...faults, '', 'The history, in ms:', ...lines].join('\n'));
    }
  }, 3_600_000);

  it('is the same again for the same seed', async () => {
    for (const seed of [1, 2, 3, 4, 5]) expect(await runHistory(seed)).toStrictEqual(await runHistory(seed));
  });
});
