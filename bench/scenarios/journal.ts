import { join } from 'node:path';
import { type Bench, type Scenario } from '../bench.js';
import { type Figure } from '../report/figure.js';
import { appendRounds, type AppendTask } from '../support/append-rounds.js';
import { compiled, startServer } from '../support/child-programs.js';

/** Many short rounds, so that a disturbance mostly affects both sides of a round. */
const ROUNDS = 9;
const TASKS: readonly AppendTask[] = [
  { name: 'single', label: 'durable appends with the journal, one at a time', min: 1.3, events: [1_600, 500] },
  { name: 'parallel', label: 'durable appends with the journal, 64 concurrent', min: 1.3, events: [9_600, 6_400] },
  { name: 'batches', label: 'durable appends of 100 events with the journal', events: [20_000, 10_000] },
];

/** Measures the gain of the journal (docs/adr/0005): the same store with and without it, durable in both cases, on the same disk. */
export const journal: Scenario = {
  name: 'journal',
  description: 'durable appends to the embedded event store with its journal, compared with LMDB only',
  run: async (bench) => {
    await bench.closeEnvironment();
    const folder = bench.cleanUp.folder();
    const [withJournal, without] = [await startStore(bench, folder, []), await startStore(bench, folder, ['--without-journal'])];
    const figures: Figure[] = [];
    for (const task of TASKS) {
      const figure = await appendRounds(bench, {
        sides: [
          { name: 'with the journal', client: 'ours', url: withJournal.found },
          { name: 'LMDB only', client: 'ours', url: without.found },
        ],
        task,
        baseline: 'LMDB only',
        rounds: bench.rounds(ROUNDS, 2),
      });
      figures.push(figure);
    }
    await withJournal.stop();
    await without.stop();
    return { figures };
  },
};

async function startStore(bench: Bench, folder: string, options: readonly string[]): ReturnType<typeof startServer> {
  const name = ['event-store', ...options].join('');
  return await startServer(bench.cleanUp, {
    args: [compiled('bench/workers/embedded-store.js'), '--data-dir', join(folder, name), ...options],
    env: {},
    signal: 'SIGTERM',
    ready: /"connectionString":"([^"]+)"/,
    log: join(folder, `${name}.log`),
  });
}
