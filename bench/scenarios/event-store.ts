import { join } from 'node:path';
import { startPostgres } from '../../embedded/postgres.js';
import { type Scenario } from '../bench.js';
import { type Figure } from '../report/figure.js';
import { appendRounds, type AppendTask } from '../support/append-rounds.js';
import { flushMs } from '../support/flush.js';
import { compiled, startServer } from '../support/child-programs.js';
import { requireDurable, writeCheckpoints } from '../environment/database.js';

const TASKS: readonly AppendTask[] = [
  { name: 'single', label: 'durable appends, one at a time', min: 2, events: [16_000, 500] },
  { name: 'parallel', label: 'durable appends, 64 concurrent', min: 2, events: [32_000, 6_400] },
  { name: 'batches', label: 'durable appends of 100 events', min: 2, events: [50_000, 10_000] },
  { name: 'read', label: 'reading a stream', min: 0.5, events: [20_000, 5_000] },
];

/** Compares the embedded event store with Emmett, without the service. Each store and each client has a process of its own. */
export const eventStore: Scenario = {
  name: 'event-store',
  description: 'durable appends and reads of the embedded event store, compared with Emmett on the same PostgreSQL',
  run: async (bench) => {
    const { cleanUp } = bench;
    await bench.closeEnvironment();
    const folder = cleanUp.folder();
    const args = [compiled('embedded/event-store/main.js'), '--data-dir', join(folder, 'event-store')];
    const server = await startServer(cleanUp, {
      args,
      env: {},
      signal: 'SIGTERM',
      ready: /"connectionString":"([^"]+)"/,
      log: join(folder, 'event-store.log'),
    });
    const postgres = await startPostgres({ dataDir: folder });
    const stopPostgres = cleanUp.add(() => postgres.stop());
    await requireDurable(postgres.connectionString);
    const figures: Figure[] = [];
    for (const task of TASKS) {
      const figure = await appendRounds(bench, {
        sides: [
          { name: 'ours', client: 'ours', url: server.found },
          { name: 'emmett', client: 'emmett', url: postgres.connectionString },
        ],
        task,
        baseline: 'Emmett',
        rounds: bench.rounds(5, 2),
        beforeEach: () => writeCheckpoints([postgres.connectionString]),
      });
      figures.push(figure);
    }
    const flush = flushMs(folder);
    await server.stop();
    await stopPostgres();
    return {
      figures,
      notes: [`writing and flushing 1 KiB takes ${flush.toFixed(2)} ms on this disk; on both sides each append waits at least that long`],
    };
  },
};
