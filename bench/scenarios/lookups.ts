import { type Bench, type Measured, type Scenario } from '../bench.js';
import { compareLoads, loadFigures, loadNotes } from '../support/compare-loads.js';

/** Compares lookups of one wallet: requests of the peer wait for one row lock, those of the service share appends. */
export const lookups: Scenario = {
  name: 'lookups',
  description: 'billed lookups, 64 connections, one wallet, compared with the CRUD peer',
  takesEventStore: true,
  run: (bench) => compareLookups(bench, { partners: 1, label: 'billed lookups, one wallet', min: 2 }),
};

export async function compareLookups(
  bench: Bench,
  { partners, label, min }: { partners: number; label: string; min: number },
): Promise<Measured> {
  const { ours, theirs } = await bench.lookupEnvironment();
  const measured = await compareLoads(bench, [ours, theirs], {
    kind: 'lookup',
    partners,
    seconds: bench.size(10, 4),
    // Long enough for V8 to optimise functions that it compiles late.
    warmUpSeconds: bench.size(150, 4),
    rounds: bench.rounds(7, 2),
  });
  const [here, there] = [measured.get(ours) ?? [], measured.get(theirs) ?? []];
  const figures = loadFigures(here, there, {
    label,
    each: 'lookup',
    baseline: 'crud-lookup',
    goal: { of: 'ratio', min },
    p99Goal: { of: 'ratio', max: 1 },
  });
  return { figures, notes: loadNotes(here, there) };
}
