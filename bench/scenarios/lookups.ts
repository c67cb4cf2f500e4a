import { type Bench, type Measured, type Scenario } from '../bench.js';
import { againstPeers, compareLoads, type LoadGoals } from '../support/compare-loads.js';

/** Compares lookups of one wallet: requests of the peers wait for one row lock, those of the service share appends. */
export const lookups: Scenario = {
  name: 'lookups',
  description: 'billed lookups, 64 connections, one wallet, compared with the bare and the audited CRUD peer',
  takesEventStore: true,
  run: (bench) =>
    compareLookups(bench, {
      label: 'billed lookups, one wallet',
      partners: 1,
      bare: { perSecond: { of: 'ratio', min: 2.6 }, p99: { of: 'ratio', max: 0.5 } },
      audited: { perSecond: { of: 'ratio', min: 4 } },
    }),
};

export interface ComparedLookups {
  readonly label: string;
  readonly partners: number;
  /** 64 by default. */
  readonly connections?: number;
  /** Goals against the bare peer, and against the audited one. */
  readonly bare: LoadGoals;
  readonly audited: LoadGoals;
}

export async function compareLookups(bench: Bench, { label, bare, audited, ...load }: ComparedLookups): Promise<Measured> {
  const environment = await bench.lookupEnvironment();
  const { ours } = environment;
  const measured = await compareLoads(bench, [ours, environment.bare, environment.audited], {
    ...load,
    kind: 'lookup',
    seconds: bench.size(10, 4),
    // Long enough for V8 to optimise functions that it compiles late.
    warmUpSeconds: bench.size(150, 4),
    rounds: bench.rounds(7, 2),
  });
  const peers = [
    { peer: environment.bare, goals: bare },
    { peer: environment.audited, goals: audited },
  ];
  return againstPeers(measured, { ours, peers, label, each: 'lookup' });
}
