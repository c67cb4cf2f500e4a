import { describe, expect, it } from '@jest/globals';
import { type AuditRun, auditsOf, runOf } from '../support/audit-programs.js';
import { rounds } from '../support/length.js';
import { runHistory } from './history.js';

/** `SIM_RUNS=100000` runs more histories, `SIM_FIRST` sets the first seed, and `SIM_SEED=<seed>` runs one history again. */
const RUNS = rounds('SIM_RUNS', { short: 150, long: 3_000 });
const FIRST = Number(process.env.SIM_FIRST ?? 1);
const { SIM_SEED } = process.env;
/** How many histories' evidence is checked at a time. */
const AUDITED_AT_ONCE = 500;
const HOLDS = 'it holds';
/** A process appends nothing while its clock and the database's differ. Where both are wrong alike, only the rule about time finds it. */
const HOLDS_BUT_FOR_TIMES = String.raw`it holds|event \d+: time: `;

describe('every simulated history of failures', () => {
  it('conserves money, bills each lookup at most once and closes every charge, and its evidence says so', async () => {
    const seeds = SIM_SEED === undefined ? Array.from({ length: RUNS }, (_, index) => FIRST + index) : [Number(SIM_SEED)];
    for (let at = 0; at < seeds.length; at += AUDITED_AT_ONCE) await check(seeds.slice(at, at + AUDITED_AT_ONCE));
  }, 3_600_000);

  it('is the same for the same seed', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      // Ids are random, so the evidence is never the same.
      const [first, second] = [await runHistory(seed), await runHistory(seed)];
      expect({ ...first, evidence: [] }).toStrictEqual({ ...second, evidence: [] });
    }
  });
});

/** Runs the histories, and the programs in docs/audit on the evidence of each. */
async function check(seeds: readonly number[]): Promise<void> {
  const [runs, withWrongDatabaseClock]: [AuditRun[], boolean[]] = [[], []];
  for (const seed of seeds) {
    const { faults, lines, evidence, hasWrongDatabaseClock } = await runHistory(seed);
    if (faults.length > 0)
      throw new Error(
        [`An invariant is broken with SIM_SEED=${seed}:`, ...faults, '', 'The history, with times in ms:', ...lines].join('\n'),
      );
    runs.push(runOf(evidence));
    withWrongDatabaseClock.push(hasWrongDatabaseClock);
  }
  for (const [index, { status, last }] of auditsOf(runs).entries()) {
    const [seed, expected] = [`SIM_SEED=${seeds[index]}`, withWrongDatabaseClock[index] ? HOLDS_BUT_FOR_TIMES : HOLDS];
    expect(`${seed}: ${status === 0 ? HOLDS : last}`).toMatch(new RegExp(`^${seed}: (${expected})`));
  }
}
